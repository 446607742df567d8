import type { ListHostChanges } from '../../../../../application/fleet/list-host-changes.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { type InputProblem, InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import { DAY, type Instant } from '../../../../../domain/base/instant.ts';
import {
  CHANGE_KINDS,
  type ChangeKind,
  differenceText,
  type HostChange,
} from '../../../../../domain/fleet/host-state.ts';
import { DataTable } from '../../components/data-table.tsx';
import { FilterBar, FilterField } from '../../components/filter-bar.tsx';
import { FormFault, type FormState } from '../../components/form.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { Ago } from '../../components/time.tsx';
import { dayOf } from '../../form-state.ts';
import { page, type SignedInVisit, type WebRoute } from '../../route.ts';
import { serverNamed } from '../../server-names.ts';
import { JobRows } from '../jobs/job-rows.tsx';
import { mayOperate } from './remedy.tsx';

export interface HostChangeDeps {
  readonly listHostChanges: Pick<ListHostChanges, 'execute'>;
  readonly listJobs: Pick<ListJobs, 'execute'>;
  readonly listServers: Pick<ListServers, 'execute' | 'names'>;
}

const PATH = '/changes';
const ROWS = 25;
const JOBS = 5;
/** Unless a first day is given. */
const DAYS = 7;

const KINDS: Readonly<Record<ChangeKind, string>> = {
  package: 'Packages',
  container: 'Containers',
  unit: 'Units',
  mount: 'Mounts',
  port: 'Ports',
  user: 'Users',
  key: 'SSH keys',
  file: 'Files',
};

/** What changed on hosts, and the jobs of the same time. */
export const hostChangeRoutes = (deps: HostChangeDeps): readonly WebRoute[] =>
  listRoutes(PATH, 'viewer', (visit) => listPage(deps, visit));

async function listPage(deps: HostChangeDeps, { visitor: { actor }, query, now }: SignedInVisit) {
  const state: FormState = { typed: query, problems: [], fault: null };
  try {
    const period = await periodOf(deps, actor, query, now);
    const kind = CHANGE_KINDS.find((each) => each === query.get('kind'));
    const q = (query.get('q') ?? '').slice(0, 200);
    const [found, jobs] = await Promise.all([
      deps.listHostChanges.execute(actor, { ...period, kind, q, limit: ROWS, offset: offsetOf(query) }),
      deps.listJobs.execute(actor, { ...period, limit: JOBS, offset: 0 }),
    ]);
    const mayOpen = mayOperate(actor, 'any server');
    const list = (
      <>
        <DataTable
          rows={found.items}
          keyOf={({ id }) => id}
          empty="No changes in this period. Drover compares inventories, about an hour apart, and the configuration files in backups."
          paging={{ found, path: PATH, query }}
          columns={[
            { head: 'Name', cell: (change) => <ChangedName change={change} mayOpen={mayOpen} /> },
            {
              head: 'Server',
              cell: ({ serverId, serverName }) => <a href={`/servers/${serverId}`}>{serverName}</a>,
            },
            { head: 'Kind', phone: 'hide', cell: (change) => KINDS[change.kind].slice(0, -1) },
            { head: 'Change', kind: 'text', cell: differenceText },
            { head: 'Found', kind: 'time', cell: ({ at }) => <Ago at={at} now={now} /> },
          ]}
        />
        <h2>Jobs at that time</h2>
        <JobRows jobs={jobs.items} now={now} />
        {jobs.total > JOBS ? (
          <p class="quiet">
            The latest {JOBS} of {jobs.total}. <a href="/jobs">All jobs</a>
          </p>
        ) : null}
      </>
    );
    return { ...page('servers', 'What changed', <Filter state={state} />), list };
  } catch (error) {
    if (!isDomainError(error, 'invalid_input')) throw error;
    const wrong = { ...state, problems: error.problems };
    return { ...page('servers', 'What changed', <Filter state={wrong} />, 422), list: null };
  }
}

/** A file leads to its snapshot beside the one before, if both are still there. */
function ChangedName({ change, mayOpen }: { readonly change: HostChange; readonly mayOpen: boolean }) {
  const { kind, name, snapshotId } = change;
  if (kind !== 'file') return name;
  const isNamed = snapshotId !== null && name.startsWith('/');
  return (
    <span class="mono">
      {mayOpen && isNamed ? (
        <a href={`/snapshots/${snapshotId}/compare?${new URLSearchParams({ file: name.slice(1) })}`}>
          {name}
        </a>
      ) : (
        name
      )}
    </span>
  );
}

/** Throws `invalid_input` with every fault named. */
async function periodOf(
  { listServers }: HostChangeDeps,
  actor: Actor,
  query: URLSearchParams,
  now: Instant,
): Promise<{ serverId?: number; since: Instant; before?: Instant }> {
  const problems: InputProblem[] = [];
  const [from, until] = [dayOf(query, 'from', problems), dayOf(query, 'until', problems)];
  const server = (query.get('server') ?? '').trim();
  const serverId = server === '' ? undefined : await serverNamed(listServers, actor, server);
  if (serverId === null) problems.push({ path: '/server', message: 'There is no such server.' });
  if (problems.length > 0) throw new InvalidInput(problems);
  return {
    ...(serverId ? { serverId } : {}),
    since: from ?? now - DAYS * DAY,
    // The last day is included.
    ...(until === null ? {} : { before: until + DAY }),
  };
}

const Filter = ({ state }: { readonly state: FormState }) => {
  const query = state.typed;
  const field = { query, state };
  return (
    <>
      <FormFault state={state} />
      <FilterBar
        path={PATH}
        query={query}
        search={{ name: 'q', label: 'Name', placeholder: 'Package, unit, port…' }}
        chips={{
          name: 'kind',
          options: [
            { value: '', label: 'All' },
            ...CHANGE_KINDS.map((kind) => ({ value: kind, label: KINDS[kind] })),
          ],
        }}
        more={{
          names: ['server', 'from', 'until'],
          isWrong: state.problems.length > 0,
          fields: (
            <>
              <FilterField {...field} name="server" label="Server" />
              <FilterField {...field} name="from" label="From" type="date" />
              <FilterField {...field} name="until" label="Until" type="date" />
            </>
          ),
        }}
      />
    </>
  );
};
