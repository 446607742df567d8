import { type Command, InvalidArgumentError, Option } from 'commander';
import { type BatchBounds, MAX_PARALLEL } from '../../../domain/automation/batch.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/base/instant.ts';
import { MAX_HOSTS, type RawSelector } from '../../../domain/fleet/host-selector.ts';
import { MAX_WAIT_FOR_HOST_MINUTES } from '../../../domain/jobs/host-wait.ts';
import { DEFAULT_OS_STEPS, MAX_OBSERVE_MINUTES, OS_STEPS, type OsStep } from '../../../domain/jobs/job.ts';
import { listed, wholeNumber } from './arguments.ts';
import { serverIds } from './find-server.ts';
import type { Session } from './session.ts';

/** Options that select servers. */
export interface SelectorOptions {
  readonly tag?: readonly string[];
  readonly server?: readonly string[];
  readonly all?: true;
}

export const withSelector = (command: Command): Command =>
  command
    .option('--tag <list>', 'servers with any of these tags', listed)
    .option('--server <list>', 'these servers, by id or name', listed)
    .option('--all', 'all servers');

export const hasSelector = ({ tag, server, all }: SelectorOptions): boolean =>
  tag !== undefined || server !== undefined || all !== undefined;

/** Names of servers as ids. Throws `server_not_found`; that it is exactly one kind is checked further in. */
export async function selectorOf(
  session: Session,
  { tag, server, all }: SelectorOptions,
): Promise<RawSelector> {
  return { ids: server && (await serverIds(session, server)), tags: tag, all };
}

/** Options for a batch's progress. */
export interface BoundsOptions {
  readonly parallel?: number;
  readonly canary?: number;
  readonly stopAfter?: number;
}

export const withBounds = (command: Command): Command =>
  command
    .option(
      '--parallel <n>',
      'maximum number of servers at a time (default: 10)',
      wholeNumber(1, MAX_PARALLEL),
    )
    .option(
      '--canary <n>',
      'number of servers that go first; the others follow only if all of them succeed',
      wholeNumber(0, MAX_PARALLEL),
    )
    .option('--stop-after <n>', 'stop starting jobs after this many failures', wholeNumber(1, MAX_HOSTS));

export const boundsOf = ({ parallel, canary, stopAfter }: BoundsOptions): Partial<BatchBounds> => ({
  ...(parallel === undefined ? {} : { maxParallel: parallel }),
  ...(canary === undefined ? {} : { canary }),
  ...(stopAfter === undefined ? {} : { stopAfterFailures: stopAfter }),
});

/** Options for a job's parameters. */
export interface ParamOptions {
  readonly source?: string;
  readonly service?: string;
  readonly osStep?: readonly OsStep[];
  readonly dryRun?: true;
  /** Milliseconds. */
  readonly grace?: number;
  readonly sample?: string;
  readonly prune?: true;
  readonly guard?: boolean;
  readonly observe?: number;
  readonly waitForHost?: number;
}

export const withParams = (command: Command): Command =>
  command
    .option(
      '--source <name>',
      'one backup source by name, or one Compose project by directory (default: all)',
    )
    .option('--service <name>', 'one Compose service')
    .addOption(
      new Option(
        '--os-step <list>',
        `for os_patch: ${OS_STEPS.join(', ')} (default: ${DEFAULT_OS_STEPS.join(', ')})`,
      ).argParser(osSteps),
    )
    .option('--grace <time>', 'for host_reboot: delay, such as 5m', timeSpan)
    .option(
      '--sample <size>',
      'for snapshot_verify: all, a number of files, or a percentage such as 5% (default: 200)',
    )
    .option('--prune', 'for container jobs: remove replaced images that are no longer used')
    .option(
      '--guard',
      'for container_patch: update only projects whose data can be saved and restored; for os_patch: save the configuration, and report what got worse',
    )
    .option('--no-guard', 'for container_patch: save no data, and roll back only images')
    .option(
      '--observe <minutes>',
      'for guarded updates: time to observe the project or server before the update counts as good (default: 2)',
      minutes,
    )
    .option(
      '--wait-for-host <minutes>',
      'time to wait for a host that is down (default: 0, fail at once)',
      wholeNumber(0, MAX_WAIT_FOR_HOST_MINUTES),
    )
    .option('--dry-run', 'only report what would change');

/** Only those that are given. */
export const paramsOf = ({
  source,
  service,
  osStep,
  dryRun,
  grace,
  sample,
  prune,
  guard,
  observe,
  waitForHost,
}: ParamOptions) => ({
  ...(source === undefined ? {} : { sourceFilter: source }),
  ...(service === undefined ? {} : { service }),
  ...(osStep === undefined ? {} : { osSteps: osStep }),
  ...(dryRun === undefined ? {} : { dryRun }),
  ...(grace === undefined ? {} : { graceSeconds: grace / SECOND }),
  ...(sample === undefined ? {} : { sample }),
  ...(prune === undefined ? {} : { prune }),
  ...(guard === undefined ? {} : { guard }),
  ...(observe === undefined ? {} : { observeMinutes: observe }),
  ...(waitForHost === undefined ? {} : { waitForHostMinutes: waitForHost }),
});

function minutes(raw: string): number {
  if (/^\d{1,2}$/.test(raw) && Number(raw) <= MAX_OBSERVE_MINUTES) return Number(raw);
  throw new InvalidArgumentError(`It is a whole number of minutes from 0 to ${MAX_OBSERVE_MINUTES}.`);
}

function osSteps(raw: string, before: readonly OsStep[] | undefined): readonly OsStep[] {
  return listed(raw, before).map((step) => {
    const known = OS_STEPS.find((each) => each === step);
    if (known !== undefined) return known;
    throw new InvalidArgumentError(`The steps are ${OS_STEPS.join(', ')}.`);
  });
}

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** `90s`, `30m`, `2h`, `1d`, in milliseconds. */
export function timeSpan(raw: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(raw) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? Number.NaN);
  if (digits !== '' && Number.isFinite(ms)) return ms;
  throw new InvalidArgumentError('Enter a number and a unit: s, m, h or d, such as 30m.');
}
