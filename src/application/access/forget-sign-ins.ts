import { DEVICE_LIFE } from '../../domain/access/known-device.ts';
import { THROTTLE_MEMORY } from '../../domain/access/login-throttle.ts';
import { CHALLENGE_LIFE } from '../../domain/access/passkey.ts';
import { SESSION_IDLE } from '../../domain/access/session.ts';
import { SSO_FLOW_LIFE } from '../../domain/access/sso-identity.ts';
import { UseCase } from '../base/use-case.ts';

const BATCH = 1_000;
const MAX_BATCHES = 100;

/** Deletes ended sessions, unfinished sign-ins, browsers that have not been used for long, and expired sign-in failures. */
export class ForgetSignIns extends UseCase<
  | 'sessions'
  | 'throttles'
  | 'clock'
  | 'deviceStore.forgetUnusedSince'
  | 'sso.forgetFlowsBefore'
  | 'passkeys.forgetChallengesBefore'
> {
  async execute(signal: AbortSignal): Promise<void> {
    const now = this.deps.clock.now();
    await inBatches(signal, () => this.deps.sessions.forgetUnusedSince(now - SESSION_IDLE, BATCH));
    await inBatches(signal, () => this.deps.deviceStore.forgetUnusedSince(now - DEVICE_LIFE, BATCH));
    await inBatches(signal, () => this.deps.sso.forgetFlowsBefore(now - SSO_FLOW_LIFE, BATCH));
    await inBatches(signal, () => this.deps.passkeys.forgetChallengesBefore(now - CHALLENGE_LIFE, BATCH));
    await inBatches(signal, () => this.deps.throttles.forgetBefore(now - THROTTLE_MEMORY, BATCH));
  }
}

async function inBatches(signal: AbortSignal, forget: () => Promise<number>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
    if ((await forget()) < BATCH) return;
  }
}
