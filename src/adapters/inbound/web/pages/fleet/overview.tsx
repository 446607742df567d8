import type { GetOverview, Overview } from '../../../../../application/fleet/get-overview.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { staleBefore } from '../../../../../domain/fleet/fleet-conditions.ts';
import { size } from '../../components/size.ts';
import { Ago } from '../../components/time.tsx';
import { page, part, type SignedInVisit, type WebRoute } from '../../route.ts';
import { JobRows } from '../jobs/job-rows.tsx';
import { Attention, groupsOf, Verdict } from './attention.tsx';
import { mayOperate } from './remedy.tsx';
import { ServerTable, type Viewer } from './server-table.tsx';

export interface OverviewDeps {
  readonly getOverview: Pick<GetOverview, 'execute'>;
  readonly settings: { readonly backupStaleHours: number };
}

/** The refresh interval. */
const REFRESH = 'every 10s, refresh';
/**
 * The worst of each kind of problem, the latest jobs, and the first servers: the page stays small however large the
 * fleet is.
 */
const MOST = { worst: 5, recent: 8, fleet: 25 };

/** Says whether there are problems, and then which, worst first. */
export function overviewRoutes(deps: OverviewDeps): readonly WebRoute[] {
  const look = async ({ visitor, now }: SignedInVisit) => {
    const overview = await deps.getOverview.execute(visitor.actor, MOST);
    const onlooker = {
      now,
      staleBefore: staleBefore(now, deps.settings.backupStaleHours),
      mayAct: mayOperate(visitor.actor),
    };
    return <OverviewPart overview={overview} onlooker={onlooker} />;
  };
  return [
    {
      method: 'GET',
      path: '/',
      needs: 'viewer',
      handle: async (visit) => page('overview', 'Overview', await look(visit)),
    },
    {
      method: 'GET',
      path: '/live/overview',
      needs: 'viewer',
      byItself: true,
      handle: async (visit) => part(await look(visit)),
    },
  ];
}

interface OverviewProps {
  readonly overview: Overview;
  readonly onlooker: Viewer;
}

/** Refreshed in place, element by element: the scroll position and the focus stay. */
function OverviewPart({ overview, onlooker }: OverviewProps) {
  const { summary, recent } = overview;
  const { now, mayAct } = onlooker;
  const groups = groupsOf(overview, now, mayAct);
  return (
    <div id="overview" hx-get="/live/overview" hx-trigger={REFRESH} hx-swap="outerMorph" data-live>
      {summary.hosts === 0 ? (
        <p class="verdict">There are no servers yet.</p>
      ) : (
        <>
          <Verdict groups={groups} hosts={summary.hosts} />
          <LastLook overview={overview} now={now} />
        </>
      )}
      <NextStep hosts={summary.hosts} mayAct={mayAct} />
      <Attention groups={groups} />
      {summary.hosts === 0 ? null : <Fleet overview={overview} onlooker={onlooker} />}
      <h2>Latest jobs</h2>
      <JobRows jobs={recent} now={now} />
    </div>
  );
}

function LastLook({
  overview: { summary },
  now,
}: Pick<OverviewProps, 'overview'> & { readonly now: number }) {
  if (summary.lastSeenNewestAt === null) return <p class="quiet">No server has been checked yet.</p>;
  return (
    <p class="quiet">
      Last contact <Ago at={summary.lastSeenNewestAt} now={now} />
      {summary.hosts === 1 ? null : (
        <>
          ; longest since contact: <Ago at={summary.lastSeenOldestAt} now={now} />
        </>
      )}
      .
    </p>
  );
}

/** An empty fleet, or one with only this machine, has one next step. */
function NextStep({ hosts, mayAct }: { readonly hosts: number; readonly mayAct: boolean }) {
  if (hosts > 1) return null;
  if (!mayAct) {
    return hosts === 0 ? <p>An operator or administrator adds the first one.</p> : null;
  }
  return (
    <section class="notice next">
      <p>
        {hosts === 0
          ? 'Add the first server: enter its address and account. Drover creates a key and guides you to the first backup.'
          : 'Drover manages one server so far. Add the next: enter its address and account, and Drover guides you to the first backup.'}
      </p>
      <a class="button" href="/servers/new">
        Add a server
      </a>
    </section>
  );
}

function Fleet({ overview: { summary, fleet }, onlooker }: OverviewProps) {
  return (
    <>
      <h2>Fleet</h2>
      <dl class="tiles">
        <Tile name="Servers" value={summary.hosts} href="/servers" />
        <Tile name="Running jobs" value={summary.jobsRunning} href="/jobs?status=active" />
        <Tile
          name="Ordinary updates"
          value={updatesText(summary)}
          href={`/servers?needs=${summary.osUpdates === 0 && summary.updatesUnknown > 0 ? 'updates_unknown' : 'os_updates'}`}
        />
        <Tile
          name="Newer images"
          value={hostsOf(summary.containerUpdates)}
          href="/servers?needs=container_updates"
        />
        <Tile name="Open notifications" value={summary.alertsOpen} href="/notifications" />
        <Tile name="Containers" value={summary.containers} />
        <Tile name="Memory" value={`${size(summary.memoryUsedBytes)} of ${size(summary.memoryTotalBytes)}`} />
        <Tile name="Disk" value={`${size(summary.diskUsedBytes)} of ${size(summary.diskTotalBytes)}`} />
      </dl>
      <ServerTable servers={fleet} onlooker={onlooker} />
      {summary.hosts > fleet.length ? (
        <p>
          <a href="/servers">All {count(summary.hosts, 'server')}</a>
        </p>
      ) : null}
    </>
  );
}

function updatesText({ osUpdates, updatesUnknown }: Overview['summary']): string {
  if (updatesUnknown === 0) return hostsOf(osUpdates);
  const unknown = `unknown on ${count(updatesUnknown, 'server')}`;
  return osUpdates === 0 ? unknown : `${hostsOf(osUpdates)}, ${unknown}`;
}

const hostsOf = (servers: number): string => (servers === 0 ? 'none' : `on ${count(servers, 'server')}`);

function Tile({
  name,
  value,
  href,
}: {
  readonly name: string;
  readonly value: string | number;
  readonly href?: string;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{href === undefined ? value : <a href={href}>{value}</a>}</dd>
    </div>
  );
}
