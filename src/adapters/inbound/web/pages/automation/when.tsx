import { cronWords } from '../../../../../domain/automation/cron-choice.ts';
import type { CronRule } from '../../../../../domain/automation/cron-rule.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { clockText, DAY_MINUTES, placeIn } from './week-place.ts';

interface WhenProps {
  readonly cron: CronRule;
  /** Its next time; null: none. */
  readonly next: Instant | null;
  /** Of the reader; null: not known. */
  readonly zone: string | null;
}

/** A rule in the reader's time zone, as the times beside it; in its own zone, which it then names, if the days differ. */
export function When({ cron, next, zone }: WhenProps) {
  const words = cronWords(cron);
  const ofZone = ` (${cron.timeZone})`;
  const text =
    zone === cron.timeZone ? words.replace(ofZone, '') : localWords(words, ofZone, { cron, next, zone });
  return <span title={words}>{text}</span>;
}

/** The next time may be delayed: only the distance of the zones counts. */
function localWords(words: string, ofZone: string, { cron, next, zone }: WhenProps): string {
  const [, hour, minute] = / at (\d\d):(\d\d) \(/.exec(words) ?? [];
  if (next === null || zone === null || hour === undefined) return words;
  const [there, here] = [placeIn(cron.timeZone)(next), placeIn(zone)(next)];
  const local = Number(hour) * 60 + Number(minute) + here.minute - there.minute;
  if (there.day !== here.day || local < 0 || local >= DAY_MINUTES) return words;
  return words.replace(`${hour}:${minute}${ofZone}`, clockText(local));
}
