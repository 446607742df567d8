import type {
  ListSchedules,
  ScheduleOverview,
} from '../../../../../application/automation/list-schedules.ts';
import type { ListFleetBackups } from '../../../../../application/backups/list-fleet-backups.ts';
import type { GetFleetDays } from '../../../../../application/fleet/fleet-days.ts';
import type { GetOverview, Overview } from '../../../../../application/fleet/get-overview.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { type GetJobDays, type JobDays, MAX_JOB_DAYS } from '../../../../../application/jobs/job-days.ts';
import { Actor } from '../../../../../domain/access/actor.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { staleBefore } from '../../../../../domain/fleet/fleet-conditions.ts';
import type { TagCount } from '../../../../../domain/fleet/server-list.ts';
import { Icon } from '../../components/icon.tsx';
import type { PageHead } from '../../components/page-header.tsx';
import { Ago } from '../../components/time.tsx';
import { renderPart } from '../../render.tsx';
import { page, part, type SignedInVisit, type WebRoute } from '../../route.ts';
import { JobRows } from '../jobs/job-rows.tsx';
import { Attention, Verdict } from './attention.tsx';
import { groupsOf } from './attention-groups.tsx';
import { Checklist, type FirstSteps, isFirstRun, MAX_SERVERS } from './checklist.tsx';
import { FleetGrid } from './fleet-grid.tsx';
import { BackupStrip, type FleetPast, OverviewTiles } from './overview-tiles.tsx';
import { mayOperate } from './remedy.tsx';
import type { Viewer } from './server-table.tsx';
import { UpNext } from './up-next.tsx';

export interface OverviewDeps {
  readonly getOverview: Pick<GetOverview, 'execute'>;
  readonly getJobDays: Pick<GetJobDays, 'execute'>;
  readonly getFleetDays: Pick<GetFleetDays, 'execute'>;
  readonly listSchedules: Pick<ListSchedules, 'execute'>;
  readonly listServers: Pick<ListServers, 'tags'>;
  readonly listFleetBackups: Pick<ListFleetBackups, 'execute'>;
  readonly settings: { readonly backupStaleHours: number };
}

/** The refresh interval. */
const REFRESH = 'every 10s, refresh';
/** Of each kind of problem the worst, the latest jobs, and the first of the fleet: the page stays small however large that is. */
const MOST = { worst: 5, recent: 8, fleet: 60 };
const MAX_TAGS = 5;
const MAX_SCHEDULES = 100;

interface OverviewData {
  readonly overview: Overview;
  readonly days: JobDays;
  readonly past: FleetPast;
  readonly schedules: readonly ScheduleOverview[];
  readonly tags: readonly TagCount[];
  readonly onlooker: Viewer;
  readonly first: FirstSteps['first'];
}

/** Says whether there are problems, and then which, worst first. */
export function overviewRoutes(deps: OverviewDeps): readonly WebRoute[] {
  const look = ({ visitor: { actor }, now }: SignedInVisit) => overviewData(deps, actor, now);
  return [
    {
      method: 'GET',
      path: '/',
      needs: 'viewer',
      handle: async (visit) => {
        const seen = await look(visit);
        return {
          ...page('overview', 'Overview', <OverviewPart {...seen} />),
          header: headOf(seen, isFirstRun(stepsOf(seen))),
        };
      },
    },
    {
      method: 'GET',
      path: '/live/overview',
      needs: 'viewer',
      byItself: true,
      handle: async (visit) => part(<OverviewPart {...(await look(visit))} />),
    },
  ];
}

/**
 * Reads and renders it once, so that the first visitor does not wait for what a process does only once: with 10,000
 * servers, that takes 100 ms.
 */
export async function prepareOverview(deps: OverviewDeps, now: Instant): Promise<void> {
  renderPart(<OverviewPart {...(await overviewData(deps, Actor.system('web UI'), now))} />);
}

async function overviewData(deps: OverviewDeps, actor: Actor, now: Instant): Promise<OverviewData> {
  const [overview, days, past, schedules, tags] = await Promise.all([
    deps.getOverview.execute(actor, MOST),
    deps.getJobDays.execute(actor, MAX_JOB_DAYS),
    deps.getFleetDays.execute(actor),
    deps.listSchedules.execute(actor, { limit: MAX_SCHEDULES, offset: 0 }),
    deps.listServers.tags(actor, MAX_TAGS),
  ]);
  return {
    overview,
    days,
    past,
    first: await firstBackup(deps, actor, overview),
    schedules: schedules.items,
    tags,
    onlooker: {
      now,
      staleBefore: staleBefore(now, deps.settings.backupStaleHours),
      mayAct: mayOperate(actor, 'any server'),
    },
  };
}

/** Where a service without a backup gets its first one. */
async function firstBackup(
  { listFleetBackups }: OverviewDeps,
  actor: Actor,
  { summary, fleet }: Overview,
): Promise<FirstSteps['first']> {
  const known = fleet.filter(({ facts }) => facts.inventoryAt !== null);
  const isFirst = summary.lastBackupOldestAt === null && summary.hosts <= MAX_SERVERS;
  if (known.length > 0 && isFirst) {
    const { items } = await listFleetBackups.execute(actor, { limit: MAX_SERVERS, offset: 0 });
    const ready = items.find(
      ({ sources, serverId }) => sources > 0 && known.some(({ id }) => id === serverId),
    );
    if (ready !== undefined) return { server: ready.serverId, href: '/backups' };
  }
  const [next = fleet[0]] = known;
  const tab = known.length > 0 ? 'sources' : 'setup';
  return { server: null, href: next === undefined ? '/servers/new' : `/servers/${next.id}/${tab}` };
}

const stepsOf = ({ overview: { summary }, schedules, first }: OverviewData): FirstSteps => ({
  servers: summary.hosts,
  backedUp: summary.lastBackupOldestAt !== null,
  schedules: schedules.filter(({ schedule }) => schedule.enabled).length,
  first,
});

/** The first steps have the main action, while they are there. */
const headOf = (
  { overview: { summary }, onlooker: { now, mayAct } }: OverviewData,
  isNew: boolean,
): PageHead => ({
  sub: (
    <>
      {count(summary.hosts, 'server')}
      {summary.lastSeenNewestAt === null ? null : (
        <>
          {' · last contact '}
          <Ago at={summary.lastSeenNewestAt} now={now} />
        </>
      )}
    </>
  ),
  actions: mayAct ? (
    <>
      <a class="button quiet" href="/batches/new">
        <Icon name="play" /> Run a job
      </a>
      <a class={isNew ? 'button quiet' : 'button'} href="/servers/new">
        <Icon name="plus" /> Add a server
      </a>
    </>
  ) : null,
});

/** Is put in the place of itself, element by element: what one reads, and where the focus is, stays. */
function OverviewPart(seen: OverviewData) {
  const { overview, days, past, onlooker, schedules, tags } = seen;
  const { summary, recent, fleet } = overview;
  const { now, mayAct } = onlooker;
  const steps = stepsOf(seen);
  const isNew = isFirstRun(steps);
  const groups = groupsOf(overview, now, mayAct).filter(
    ({ key }) => !(isNew && !steps.backedUp && key === 'stale_backup'),
  );
  return (
    <div
      id="overview"
      class="stack"
      hx-get="/live/overview"
      hx-trigger={REFRESH}
      hx-swap="outerMorph"
      data-live
    >
      {isNew ? <FirstRun steps={steps} mayAct={mayAct} /> : null}
      {isNew && groups.every(({ weight }) => weight === 'care') ? null : (
        <Verdict groups={groups} hosts={summary.hosts} failing={summary.failing} />
      )}
      {summary.hosts === 0 ? null : (
        <>
          <OverviewTiles overview={overview} days={days} past={past} now={now} />
          <div class="main-and-side">
            <Attention groups={groups} />
            <div class="stack">
              <BackupStrip days={days.backups} />
              <UpNext
                schedules={schedules}
                now={now}
                all="/schedules"
                servers={{ fleet, total: summary.hosts }}
              />
            </div>
          </div>
          <FleetGrid servers={fleet} total={summary.hosts} tags={tags} onlooker={onlooker} />
        </>
      )}
      <section class="card" aria-labelledby="recent-title">
        <header>
          <h2 id="recent-title">Recent jobs</h2>
          <div class="acts">
            <a class="button ghost small" href="/jobs">
              All jobs
            </a>
          </div>
        </header>
        <JobRows jobs={recent} now={now} />
      </section>
    </div>
  );
}

function FirstRun({ steps, mayAct }: { readonly steps: FirstSteps; readonly mayAct: boolean }) {
  if (mayAct) return <Checklist steps={steps} />;
  return (
    <div class="banner" id="verdict">
      <Icon name="info" />
      <div>
        <strong>{steps.servers === 0 ? 'No servers yet.' : 'Setup is incomplete.'}</strong>
        <p>
          An operator or administrator {steps.servers === 0 ? 'adds the first one' : 'does the first steps'}.
        </p>
      </div>
    </div>
  );
}
