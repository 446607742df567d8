import { DEVICE_LIFE } from '../../domain/known-device.ts';
import { THROTTLE_MEMORY } from '../../domain/login-throttle.ts';
import { SESSION_IDLE } from '../../domain/session.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceStore } from '../ports/device-store.ts';
import type { SessionStore } from '../ports/session-store.ts';
import type { ThrottleStore } from '../ports/throttle-store.ts';

const BATCH = 1_000;
const MOST_BATCHES = 100;

/** Forgets sessions that are over, browsers that nobody used for long, and failed sign-ins that count no more. */
export class ForgetSignIns {
  readonly #sessions: SessionStore;
  readonly #devices: Pick<DeviceStore, 'forgetUnusedSince'>;
  readonly #throttles: ThrottleStore;
  readonly #clock: Clock;

  constructor(deps: {
    sessions: SessionStore;
    deviceStore: Pick<DeviceStore, 'forgetUnusedSince'>;
    throttles: ThrottleStore;
    clock: Clock;
  }) {
    this.#sessions = deps.sessions;
    this.#devices = deps.deviceStore;
    this.#throttles = deps.throttles;
    this.#clock = deps.clock;
  }

  async execute(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    await inBatches(signal, () => this.#sessions.forgetUnusedSince(now - SESSION_IDLE, BATCH));
    await inBatches(signal, () => this.#devices.forgetUnusedSince(now - DEVICE_LIFE, BATCH));
    await inBatches(signal, () => this.#throttles.forgetBefore(now - THROTTLE_MEMORY, BATCH));
  }
}

async function inBatches(signal: AbortSignal, forget: () => Promise<number>): Promise<void> {
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
    if ((await forget()) < BATCH) return;
  }
}
