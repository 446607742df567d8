import type { GetSummary, Summary } from '../../../application/get-summary.ts';
import type { ListJobs } from '../../../application/list-jobs.ts';
import type { ServerNeed } from '../../../application/ports/server-store.ts';
import type { Job } from '../../../domain/job.ts';
import { count } from '../../../domain/spans.ts';
import { page, part, type SignedInVisit, type WebRoute } from '../route.ts';
import { JobRows } from '../views/job-rows.tsx';
import { size } from '../views/size.ts';
import { Ago } from '../views/time.tsx';

export interface OverviewDeps {
  readonly getSummary: Pick<GetSummary, 'execute'>;
  readonly listJobs: Pick<ListJobs, 'execute'>;
}

/** How often the page asks anew. */
const REFRESH = 'every 10s';
const RECENT = 8;

/** Says whether anything is wrong, and then what, worst first. */
export function overviewRoutes(deps: OverviewDeps): readonly WebRoute[] {
  const look = async ({ visitor, now }: SignedInVisit) => {
    const [summary, recent] = await Promise.all([
      deps.getSummary.execute(visitor.actor),
      deps.listJobs.execute(visitor.actor, { limit: RECENT, offset: 0 }),
    ]);
    return <Overview summary={summary} jobs={recent.items} now={now} />;
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
      handle: async (visit) => part(await look(visit)),
    },
  ];
}

interface Care {
  readonly need: ServerNeed;
  readonly count: number;
  readonly text: string;
}

/** Worst first. */
const caresOf = (summary: Summary): readonly Care[] =>
  [
    { need: 'stale_backup', count: summary.backupsStale, text: 'without a fresh backup' },
    { need: 'security_updates', count: summary.securityUpdates, text: 'with security updates pending' },
    { need: 'reboot', count: summary.rebootPending, text: 'waiting for a reboot' },
    { need: 'os_updates', count: summary.osUpdates, text: 'with package updates pending' },
    { need: 'container_updates', count: summary.containerUpdates, text: 'with newer container images' },
  ].filter((each): each is Care => each.count > 0);

function Overview({
  summary,
  jobs,
  now,
}: {
  readonly summary: Summary;
  readonly jobs: readonly Job[];
  readonly now: number;
}) {
  const cares = caresOf(summary);
  return (
    <div id="overview" hx-get="/live/overview" hx-trigger={REFRESH} hx-swap="outerHTML">
      <p class={cares.length === 0 ? 'verdict good' : 'verdict care'}>{verdictOf(summary, cares)}</p>
      {cares.length === 0 ? null : (
        <ul class="cares">
          {cares.map(({ need, count: servers, text }) => (
            <li key={need}>
              <a href={`/servers?needs=${need}`}>
                <strong>{servers}</strong> {servers === 1 ? 'server' : 'servers'} {text}
              </a>
            </li>
          ))}
        </ul>
      )}
      <dl class="tiles">
        <Tile name="Servers" value={summary.hosts} href="/servers" />
        <Tile name="Jobs under way" value={summary.jobsRunning} href="/jobs?status=active" />
        <Tile name="Containers" value={summary.containers} />
        <Tile name="Memory" value={`${size(summary.memoryUsedBytes)} of ${size(summary.memoryTotalBytes)}`} />
        <Tile name="Disk" value={`${size(summary.diskUsedBytes)} of ${size(summary.diskTotalBytes)}`} />
        <div>
          <dt>Oldest last backup</dt>
          <dd>
            <Ago at={summary.lastBackupOldestAt} now={now} />
          </dd>
        </div>
      </dl>
      <h2>Latest jobs</h2>
      <JobRows jobs={jobs} now={now} />
    </div>
  );
}

function verdictOf(summary: Summary, cares: readonly Care[]): string {
  if (summary.hosts === 0) return 'There are no servers yet: add one with "drover server add".';
  if (cares.length === 0) return `All is well on ${count(summary.hosts, 'server')}.`;
  return cares.length === 1 ? 'One thing needs care.' : `${cares.length} things need care.`;
}

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
