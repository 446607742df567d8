import type { DeliverMessages } from '../../../application/events/deliver-messages.ts';
import type { ForgetEvents } from '../../../application/events/forget-events.ts';
import type { HandOutEvents } from '../../../application/events/hand-out-events.ts';
import type { PublishToHomeAssistant } from '../../../application/events/publish-to-home-assistant.ts';
import type { SendHeartbeats } from '../../../application/events/send-heartbeats.ts';
import type { WeeklyReports } from '../../../application/events/weekly-reports.ts';
import type { WatchConditions } from '../../../application/fleet/watch-conditions.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { Logger } from '../../../application/ports/base/logger.ts';
import type { LeaseStore } from '../../../application/ports/jobs/lease-store.ts';
import type { WatchClock } from '../../../application/service/watch-clock.ts';
import { HOUR, SECOND } from '../../../domain/base/instant.ts';
import { LeasedLoop } from './leased-loop.ts';
import { Periodic } from './periodic.ts';

const WATCH_EVERY_MS = 15 * SECOND;
const HAND_OUT_EVERY_MS = SECOND;
const DELIVER_EVERY_MS = SECOND;
const HEARTBEAT_EVERY_MS = 15 * SECOND;
const HOME_ASSISTANT_EVERY_MS = 15 * SECOND;
const REPORT_EVERY_MS = 15 * SECOND;
const FORGET_EVERY_MS = HOUR;

/** Detects alerts, and sends notifications. */
export class Messenger {
  readonly #loops: readonly { start(): void; stop(): Promise<void> }[];
  readonly #deliver: Pick<DeliverMessages, 'settled'>;
  readonly #homeAssistant: Pick<PublishToHomeAssistant, 'close'>;

  constructor(deps: {
    watch: Pick<WatchConditions, 'execute'>;
    handOut: Pick<HandOutEvents, 'execute' | 'isIdle'>;
    deliver: Pick<DeliverMessages, 'execute' | 'settled'>;
    heartbeats: Pick<SendHeartbeats, 'execute'>;
    homeAssistant: Pick<PublishToHomeAssistant, 'execute' | 'close'>;
    reports: Pick<WeeklyReports, 'execute'>;
    forget: Pick<ForgetEvents, 'execute'>;
    clockWatch: Pick<WatchClock, 'holdsBack'>;
    leases: LeaseStore;
    owner: string;
    clock: Clock;
    log: Logger;
  }) {
    const { watch, handOut, deliver, heartbeats, homeAssistant, reports, forget } = deps;
    this.#deliver = deliver;
    this.#homeAssistant = homeAssistant;
    this.#loops = [
      new LeasedLoop(
        {
          name: 'check for alerts',
          lease: 'notifications',
          everyMs: WATCH_EVERY_MS,
          work: (signal) => watch.execute(signal),
        },
        deps,
      ),
      new LeasedLoop(
        {
          name: 'handing events out',
          lease: 'events',
          everyMs: HAND_OUT_EVERY_MS,
          work: (signal) => handOut.execute(signal),
          isIdle: () => handOut.isIdle(),
        },
        deps,
      ),
      new Periodic(
        {
          name: 'delivering messages',
          everyMs: DELIVER_EVERY_MS,
          work: (signal) => deliver.execute(signal),
        },
        deps,
      ),
      new LeasedLoop(
        {
          name: 'calling heartbeats',
          lease: 'heartbeats',
          everyMs: HEARTBEAT_EVERY_MS,
          work: (signal) => heartbeats.execute(signal),
        },
        deps,
      ),
      new LeasedLoop(
        {
          name: 'keeping Home Assistant up to date',
          lease: 'home-assistant',
          everyMs: HOME_ASSISTANT_EVERY_MS,
          work: (signal) => homeAssistant.execute(signal),
        },
        deps,
      ),
      new LeasedLoop(
        {
          name: 'sending weekly reports',
          lease: 'reports',
          everyMs: REPORT_EVERY_MS,
          work: (signal) => reports.execute(signal),
        },
        deps,
      ),
      new LeasedLoop(
        {
          name: 'delete old events',
          lease: 'old-events',
          everyMs: FORGET_EVERY_MS,
          work: async (signal) => {
            if (!(await deps.clockWatch.holdsBack())) await forget.execute(signal);
          },
        },
        deps,
      ),
    ];
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  /** Aborts running attempts; they are repeated after the next start. */
  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await Promise.all([this.#deliver.settled(), this.#homeAssistant.close()]);
  }
}
