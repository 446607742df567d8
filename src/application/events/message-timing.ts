import type { Instant } from '../../domain/base/instant.ts';
import { type ChannelTiming, digestRule, ruleAt } from '../../domain/events/channels/channel-timing.ts';
import type { Delivery } from '../../domain/events/delivery.ts';
import type { EventType } from '../../domain/events/event.ts';
import type { CronClock } from '../ports/automation/cron-clock.ts';

/** Sent when a user asks for it, or at a time of the user's choice. */
const AT_THEIR_TIME: readonly EventType[] = ['ping', 'report.weekly'];

type Timed = Pick<Delivery, 'createdAt' | 'attempts' | 'lastAttemptAt'> & {
  readonly event: Pick<Delivery['event'], 'type' | 'severity'>;
};

/** Whether a message may have to wait. */
function mayWait(timing: ChannelTiming, { event, attempts, lastAttemptAt }: Timed): boolean {
  const isSentAgain = attempts === 0 && lastAttemptAt !== null;
  const isUrgent = event.severity === 'critical' && timing.criticalAtOnce;
  return !isSentAgain && !isUrgent && !AT_THEIR_TIME.includes(event.type);
}

/** When a message may be sent: now, with the next digest, or after the quiet hours. */
export function sentAt(
  cron: Pick<CronClock, 'next'>,
  timing: ChannelTiming,
  delivery: Timed,
  now: Instant,
): Instant {
  if (!mayWait(timing, delivery)) return now;
  const rule = digestRule(timing);
  const gathered = rule === null ? now : (cron.next(rule, delivery.createdAt) ?? now);
  const at = Math.max(gathered, now);
  return quietUntil(cron, timing, at) ?? at;
}

/** Whether a message comes with others: with a digest, or because it waited for the end of quiet hours. */
export function isShared(cron: Pick<CronClock, 'next'>, timing: ChannelTiming, delivery: Timed): boolean {
  if (!mayWait(timing, delivery)) return false;
  return timing.digest !== null || quietUntil(cron, timing, delivery.createdAt) !== null;
}

/** The end of the quiet hours that hold at a moment; `null`: none do. */
function quietUntil(
  cron: Pick<CronClock, 'next'>,
  { quiet, timeZone }: ChannelTiming,
  at: Instant,
): Instant | null {
  if (quiet === null) return null;
  const from = cron.next(ruleAt(quiet.from, timeZone), at);
  const until = cron.next(ruleAt(quiet.until, timeZone), at);
  return from !== null && until !== null && until < from ? until : null;
}
