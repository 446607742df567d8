import { type Command, InvalidArgumentError, Option } from 'commander';
import { toIso } from '../../../domain/base/instant.ts';
import type { AlertChannel } from '../../../domain/events/channels/alert-channel.ts';
import {
  DIGESTS,
  dayName,
  type RawTiming,
  REPORT_DAYS,
} from '../../../domain/events/channels/channel-timing.ts';

interface QuietHours {
  readonly from: string;
  readonly until: string;
}

export interface TimingOptions {
  readonly timeZone?: string;
  readonly report?: string;
  readonly reportAt?: string;
  readonly quiet?: QuietHours;
  readonly digest?: string;
  readonly digestAt?: string;
  readonly criticalAtOnce?: boolean;
}

/** The options that say when a channel sends. */
export const withTiming = (command: Command): Command =>
  command
    .option('--quiet <from-until>', 'hold messages in these hours, such as 22:00-07:00; none: never', hours)
    .addOption(new Option('--digest <every>', 'send one message an hour or a day').choices([...DIGESTS]))
    .option('--digest-at <time>', 'time of the daily message, such as 08:00')
    .option('--critical-at-once', 'send critical events immediately, also in quiet hours (default)')
    .option('--no-critical-at-once', 'let critical events wait like others')
    .addOption(new Option('--report <day>', 'send a weekly report on this day').choices([...REPORT_DAYS]))
    .option('--report-at <time>', 'time of the report, such as 08:00')
    .option('--time-zone <zone>', 'time zone of these times, such as Europe/Berlin');

function hours(raw: string): QuietHours {
  if (raw === 'none') return { from: '', until: '' };
  const [, from = '', until = ''] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(raw) ?? [];
  if (from === '') throw new InvalidArgumentError('Write FROM-UNTIL, such as 22:00-07:00, or none.');
  return { from, until };
}

export const timingOf = (options: TimingOptions): RawTiming => ({
  timeZone: options.timeZone,
  reportDay: options.report,
  reportAt: options.reportAt,
  quietFrom: options.quiet?.from,
  quietUntil: options.quiet?.until,
  digest: options.digest,
  digestAt: options.digestAt,
  criticalAtOnce: options.criticalAtOnce,
});

export const timingView = ({ timing, reportAt }: AlertChannel): object => ({
  quiet_hours: timing.quiet,
  digest: timing.digest?.every ?? null,
  digest_at: timing.digest?.every === 'day' ? timing.digest.at : null,
  critical_at_once: timing.criticalAtOnce,
  report_day: timing.report && dayName(timing.report.day),
  report_at: timing.report?.at ?? null,
  next_report_at: reportAt === null ? null : toIso(reportAt),
  time_zone: timing.timeZone,
});
