import { type Command, Option } from 'commander';
import { ListHostChanges } from '../../../../application/fleet/list-host-changes.ts';
import { ListJobs } from '../../../../application/jobs/list-jobs.ts';
import { DAY, type Instant } from '../../../../domain/base/instant.ts';
import { CHANGE_KINDS, type ChangeKind, differenceText } from '../../../../domain/fleet/host-state.ts';
import { hostChangeView } from '../../api/views/host-change-view.ts';
import { jobView } from '../../api/views/job-view.ts';
import { pageView } from '../../api/views/page-view.ts';
import { moment, type PageOptions, withExamples, withPage } from '../arguments.ts';
import { findServer } from '../find-server.ts';
import { timeSpan } from '../job-options.ts';
import { localTime } from '../local-time.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { pageText, typeText } from '../words.ts';

interface Options extends PageOptions {
  readonly server?: string;
  readonly kind?: ChangeKind;
  readonly name?: string;
  readonly since?: (now: Instant) => Instant;
  readonly until?: Instant;
}

const MAX_JOBS = 50;

export function addChangesCommand(program: Command, runner: Runner): void {
  withExamples(
    withPage(
      program
        .command('changes')
        .description('list what changed on hosts, and the jobs of that time, newest first')
        .option('--server <server>', 'on this server: its id or name')
        .addOption(new Option('--kind <kind>', 'only these').choices([...CHANGE_KINDS]))
        .option('--name <text>', 'whose name contains this')
        .option(
          '--since <time>',
          'for this long (3h, 7d), or since this day or time (default: 1d)',
          sinceThen,
        )
        .option('--until <time>', 'before this day or time', moment),
      200,
    ).action(runner.read(list)),
    'drover changes --server web-1 --since 3d',
    'drover changes --kind package --since 2026-11-01 --until 2026-11-08',
  );
}

function sinceThen(raw: string): (now: Instant) => Instant {
  if (/^\d{1,6}[smhd]$/.test(raw)) {
    const span = timeSpan(raw);
    return (now) => now - span;
  }
  const at = moment(raw);
  return () => at;
}

async function list(session: Session, options: Options): Promise<Reply> {
  const { useCases, actor } = session;
  const { kind, name: q, until: before, limit, offset } = options;
  const server = options.server === undefined ? undefined : await findServer(session, options.server);
  const now = session.now();
  const period = { serverId: server?.id, since: options.since?.(now) ?? now - DAY, before };
  const page = await useCases.get(ListHostChanges).execute(actor, { ...period, kind, q, limit, offset });
  const jobs = await useCases.get(ListJobs).execute(actor, { ...period, limit: MAX_JOBS, offset: 0 });
  const rows = page.items.map((each) => [
    localTime(each.at),
    each.serverName,
    each.kind,
    each.name,
    differenceText(each),
  ]);
  const started = jobs.items.map((job) => [
    localTime(job.createdAt),
    job.serverName,
    job.id,
    typeText(job.jobType),
    job.status,
    job.requestedBy,
  ]);
  const changed = pageText(
    page,
    'No changes on hosts were found in this period.\n',
    table(['FOUND', 'SERVER', 'KIND', 'NAME', 'CHANGE'], rows, { last: 'whole' }),
  );
  const work =
    started.length === 0
      ? ''
      : `\nJobs of this period:\n${table(['REQUESTED', 'SERVER', 'JOB', 'TYPE', 'STATUS', 'BY'], started)}${moreJobs(jobs.total)}`;
  return {
    json: { changes: page.items.map(hostChangeView), ...pageView(page), jobs: jobs.items.map(jobView) },
    text: changed + work,
  };
}

const moreJobs = (total: number): string =>
  total > MAX_JOBS ? `The latest ${MAX_JOBS} of ${total} jobs.\n` : '';
