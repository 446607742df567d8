import type { Attempt } from '../../domain/events/delivery.ts';
import { afterAttempt } from '../../domain/events/delivery.ts';
import type { Chance } from './chance.ts';
import { type DemoPorts, NEVER } from './demo-ports.ts';

/** Hands out what happened, as the service's loops do, to receivers that are not there: nothing leaves the machine. */
export async function deliver(
  { clock, handOutEvents, deliveries }: DemoPorts,
  chance: Chance,
): Promise<void> {
  await handOutEvents.execute(NEVER);
  const at = clock.now();
  for (const id of await deliveries.dueTargets('webhook', at)) {
    for (const due of await deliveries.due({ channel: 'webhook', id }, at, 100)) {
      const attempt = attemptOf(chance);
      await deliveries.settle(
        due,
        attempt,
        afterAttempt({ channel: 'webhook', attempts: due.attempts }, attempt, at),
        at,
      );
    }
  }
}

function attemptOf(chance: Chance): Attempt {
  const common = { durationMs: chance.between(30, 400), retryAfterMs: null };
  return chance.happens(0.9)
    ? { ...common, result: 'delivered', statusCode: 204, error: null }
    : { ...common, result: 'failed', statusCode: 503, error: 'The receiver answered 503.' };
}
