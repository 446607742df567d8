import type { ListNotifications } from '../../../../../application/events/list-notifications.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { JobQuery } from '../../../../../application/jobs/list-jobs.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { DAY } from '../../../../../domain/base/instant.ts';
import { JOB_STATUSES } from '../../../../../domain/jobs/job.ts';
import { JOB_TYPES, jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { serverNamed } from '../../server-names.ts';

/** Parameters of the list of jobs. */
export const JOB_FILTERS = ['q', 'server', 'type', 'status', 'by', 'origin', 'since', 'until'] as const;

export const ACTIVE = 'active';
export const UNRESOLVED = 'unresolved';
/** Jobs of open alerts that are listed. */
const MAX_UNRESOLVED = 500;
/** Longer than any name of a token or user. */
const MAX_NAME_LENGTH = 200;

export interface JobSearchDeps {
  readonly listServers: Pick<ListServers, 'execute'>;
  readonly listNotifications: Pick<ListNotifications, 'execute'>;
}

/** The filter that an address or a form describes; null if it names nothing that exists. */
export type JobSearch = (
  actor: Actor,
  query: URLSearchParams,
) => Promise<Omit<JobQuery, 'limit' | 'offset'> | null>;

export const jobSearch =
  ({ listServers, listNotifications }: JobSearchDeps): JobSearch =>
  async (actor, query) => {
    const named = (query.get('server') ?? '').trim().slice(0, MAX_NAME_LENGTH);
    const serverId = named === '' ? undefined : await serverNamed(listServers, actor, named);
    if (serverId === null) return null;
    const found = await textFilter(
      listServers,
      actor,
      (query.get('q') ?? '').trim().slice(0, MAX_NAME_LENGTH),
    );
    if (found === null) return null;
    const unresolved =
      query.get('status') === UNRESOLVED ? await unresolvedJobs(listNotifications, actor, found.ids) : {};
    return { ...filterOf(query), ...found, ...unresolved, ...(serverId === undefined ? {} : { serverId }) };
  };

/** The jobs that failed, and whose like has not succeeded since: an alert is open about each of them. */
async function unresolvedJobs(
  alerts: JobSearchDeps['listNotifications'],
  actor: Actor,
  among: readonly number[] | undefined,
): Promise<Partial<JobQuery>> {
  const { items } = await alerts.execute(actor, OPEN_FAILURES, { limit: MAX_UNRESOLVED, offset: 0 });
  const ids = items.flatMap(({ jobId }) => jobId ?? []);
  return { ids: among === undefined ? ids : ids.filter((id) => among.includes(id)) };
}

/** The alerts that Overview counts as unresolved job failures. */
export const OPEN_FAILURES = {
  kinds: ['job.failed'],
  states: ['open', 'acknowledged'],
  muted: false,
} as const;

/** What the search field means: the number of a job, the name of a server, or a part of what jobs do. */
async function textFilter(
  servers: Pick<ListServers, 'execute'>,
  actor: Actor,
  text: string,
): Promise<Partial<JobQuery> | null> {
  if (text === '') return {};
  const number = /^#?([1-9]\d{0,8})$/.exec(text)?.[1];
  if (number !== undefined) return { ids: [Number(number)] };
  const serverId = await serverNamed(servers, actor, text);
  if (serverId !== null) return { serverId };
  const jobTypes = JOB_TYPES.filter((type) => jobTitle(type).toLowerCase().includes(text.toLowerCase()));
  return jobTypes.length === 0 ? null : { jobTypes };
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
