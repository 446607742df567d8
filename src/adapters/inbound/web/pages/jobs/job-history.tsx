import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { JobQuery, ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { DAY } from '../../../../../domain/base/instant.ts';
import { JOB_STATUSES } from '../../../../../domain/jobs/job.ts';
import { JOB_TYPES, jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { offsetOf } from '../../components/paging.tsx';
import { page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { serverNamed } from '../../server-names.ts';
import { JobRows } from './job-rows.tsx';

export interface JobHistoryDeps {
  readonly listJobs: Pick<ListJobs, 'execute'>;
  readonly listServers: Pick<ListServers, 'execute'>;
}

const PATH = '/jobs';
const ROWS = 50;
const ACTIVE = 'active';
/** Longer than any name of a token or user. */
const MAX_NAME_LENGTH = 200;

/** Past and running jobs, with filters in the address. */
export function jobHistoryRoutes(deps: JobHistoryDeps): readonly WebRoute[] {
  return [{ method: 'GET', path: PATH, needs: 'viewer', handle: (visit) => historyPage(deps, visit) }];
}

async function historyPage(
  deps: JobHistoryDeps,
  { visitor: { actor }, query, now }: SignedInVisit,
): Promise<WebReply> {
  const server = await serverOf(deps, actor, (query.get('server') ?? '').trim().slice(0, MAX_NAME_LENGTH));
  const asked = { ...filterOf(query), limit: ROWS, offset: offsetOf(query) };
  const found =
    server === 'unknown'
      ? { items: [], total: 0, limit: ROWS, offset: 0 }
      : await deps.listJobs.execute(actor, { ...asked, ...(server === null ? {} : { serverId: server }) });
  return page(
    'jobs',
    'Jobs',
    <>
      <Filter query={query} />
      {server === 'unknown' ? (
        <p>
          No server is named <strong>{query.get('server')}</strong>. <a href="/servers">See all servers</a>
        </p>
      ) : (
        <JobRows
          jobs={found.items}
          now={now}
          filtered={[...query.values()].some((value) => value !== '')}
          paging={{ found, path: PATH, query }}
        />
      )}
    </>,
  );
}

/** A server by its id or name; `null`: any; `unknown`: there is none. */
async function serverOf(
  deps: JobHistoryDeps,
  actor: Actor,
  named: string,
): Promise<number | 'unknown' | null> {
  return named === '' ? null : ((await serverNamed(deps.listServers, actor, named)) ?? 'unknown');
}

function filterOf(query: URLSearchParams): Omit<JobQuery, 'limit' | 'offset'> {
  const status = JOB_STATUSES.find((each) => each === query.get('status'));
  const jobType = JOB_TYPES.find((each) => each === query.get('type'));
  const by = (query.get('by') ?? '').trim().slice(0, MAX_NAME_LENGTH);
  const origin = query.get('origin');
  const since = dayOf(query.get('since'));
  const until = dayOf(query.get('until'));
  return {
    ...(status ? { status } : {}),
    ...(query.get('status') === ACTIVE ? { activeOnly: true } : {}),
    ...(jobType ? { jobType } : {}),
    ...(by === '' ? {} : { requestedBy: by }),
    ...(origin === 'scheduled' || origin === 'asked' ? { scheduled: origin === 'scheduled' } : {}),
    ...(since === null ? {} : { since }),
    ...(until === null ? {} : { before: until + DAY }),
  };
}

/** The start of a day (UTC) from a date field; `null` for anything else. */
function dayOf(raw: string | null): number | null {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(raw ?? '') ? Date.parse(`${raw}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

function Filter({ query }: { readonly query: URLSearchParams }) {
  const chosen = (name: string): string => query.get(name) ?? '';
  const plain = (value: string): readonly [string, string] => [value, value.replaceAll('_', ' ')];
  const any = ['', 'any'] as const;
  return (
    <form method="get" action={PATH} class="filter" role="search">
      <span class="pair">
        <label for="server">Server</label>
        <input id="server" name="server" value={chosen('server')} placeholder="name or number" data-search />
      </span>
      <OneOf
        name="type"
        label="Job"
        chosen={chosen('type')}
        options={[any, ...JOB_TYPES.map((type) => [type, jobTitle(type)] as const)]}
      />
      <OneOf
        name="status"
        label="State"
        chosen={chosen('status')}
        options={[any, plain(ACTIVE), ...JOB_STATUSES.map(plain)]}
      />
      <span class="pair">
        <label for="by">By</label>
        <input id="by" name="by" value={chosen('by')} placeholder="user:ann, token:mcp-…" />
      </span>
      <OneOf
        name="origin"
        label="Origin"
        chosen={chosen('origin')}
        options={[any, ['scheduled', 'by schedule'], ['asked', 'asked for']]}
      />
      <span class="pair">
        <label for="since">From</label>
        <input type="date" id="since" name="since" value={chosen('since')} />
      </span>
      <span class="pair">
        <label for="until">to</label>
        <input type="date" id="until" name="until" value={chosen('until')} />
      </span>
      <button type="submit">Show</button>
      {query.size === 0 ? null : <a href={PATH}>Show all</a>}
    </form>
  );
}

function OneOf({
  name,
  label,
  chosen,
  options,
}: {
  readonly name: string;
  readonly label: string;
  readonly chosen: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}) {
  return (
    <span class="pair">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {options.map(([value, text]) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}
