import type { ListTokens } from '../../../../../application/access/manage-tokens.ts';
import type { ListSchedules } from '../../../../../application/automation/list-schedules.ts';
import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
import type { ListTemplates } from '../../../../../application/compose/list-templates.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { ago } from '../../../../../domain/base/spans.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { stateWord } from '../../components/status.tsx';
import { page, part, type SignedInVisit, type WebRoute } from '../../route.ts';
import { mayOperate } from '../fleet/remedy.tsx';
import { actionsFor, actionsOn, placesFor, verbsIn } from './search-actions.ts';
import { Hits } from './search-hits.tsx';
import { type ProtectionSearchDeps, protectionHits } from './search-protection.ts';
import { fit, type Hit, type HitGroup, inOrder, ranked } from './search-ranking.ts';
import { type SoftwareSearchDeps, softwareHits } from './search-software.ts';

export interface SearchDeps extends SoftwareSearchDeps, ProtectionSearchDeps {
  readonly listServers: Pick<ListServers, 'execute'>;
  readonly listTemplates: Pick<ListTemplates, 'execute'>;
  readonly listJobs: Pick<ListJobs, 'execute'>;
  readonly manageSources: Pick<ManageSources, 'list'>;
  readonly listSchedules: Pick<ListSchedules, 'execute'>;
  readonly listTokens: Pick<ListTokens, 'execute'>;
}

const PATH = '/search';
const MAX_QUERY_LENGTH = 100;
/** Of each kind. */
const MAX_HITS = 6;
/** Of the server that fits best, and of what the user did last. */
const MAX_RECENT = 3;
/** Templates, schedules and tokens are few: search this many of each. */
const MAX_SEARCHED = 200;

/** One search field for objects and actions, as far as the user may see and do them. */
export const searchRoutes = (deps: SearchDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: PATH,
    needs: 'viewer',
    handle: async (visit) => {
      const q = queryOf(visit);
      return page(
        'overview',
        'Search',
        <>
          <form method="get" action={PATH} class="filter" role="search">
            <input type="text" name="q" value={q} aria-label="Search" autocomplete="off" autofocus />
            <button type="submit">Search</button>
          </form>
          <div class="hits">
            <Hits q={q} groups={await groupsOf(deps, visit, q)} />
          </div>
        </>,
      );
    },
  },
  {
    method: 'GET',
    path: `/live${PATH}`,
    needs: 'viewer',
    handle: async (visit) =>
      part(<Hits q={queryOf(visit)} groups={await groupsOf(deps, visit, queryOf(visit))} inPalette />),
  },
];

const queryOf = ({ query }: SignedInVisit): string =>
  (query.get('q') ?? '').trim().slice(0, MAX_QUERY_LENGTH);

async function groupsOf(deps: SearchDeps, visit: SignedInVisit, q: string): Promise<readonly HitGroup[]> {
  const { actor } = visit.visitor;
  const role = actor.role ?? 'viewer';
  const [places, actions] = [placesFor(role), actionsFor(role)];
  if (q === '') {
    return inOrder([
      { label: 'Recent', hits: await recentOf(deps, visit) },
      { label: 'Actions', hits: actions },
      { label: 'Pages', hits: places },
    ]);
  }
  const [servers, templates, named, verbs, software, protection] = await Promise.all([
    serversLike(deps, visit, q),
    deps.listTemplates.execute(actor, { limit: MAX_SEARCHED, offset: 0 }),
    namedHits(deps, visit, q),
    verbHits(deps, visit, q),
    softwareHits(deps, actor, q),
    protectionHits(deps, actor, q, visit.now),
  ]);
  const [best] = servers;
  const found = templates.items.map(
    ({ name }): Hit => ({ href: `/templates/${name}`, icon: 'boxes', label: name }),
  );
  return inOrder([
    { label: 'Jobs', hits: jobNumbered(q), score: -1 },
    { label: 'Do', hits: verbs, score: 0 },
    { label: 'Servers', hits: servers.map(serverHit), score: best ? (fit(q, { label: best.name }) ?? 4) : 4 },
    ...(best === undefined ? [] : await aboutServer(deps, visit, best, q)),
    ranked(q, 'Actions', actions, MAX_HITS),
    ...named,
    ranked(q, 'Templates', found, MAX_HITS),
    ranked(q, 'Pages', places, MAX_HITS),
    ...software,
    ...protection,
  ]);
}

/** Those whose name, address or tag has the query; otherwise those whose name has its letters, such as `web1`. */
async function serversLike(
  { listServers }: SearchDeps,
  { visitor: { actor } }: SignedInVisit,
  q: string,
): Promise<readonly Server[]> {
  const { items } = await listServers.execute(actor, { q, limit: MAX_HITS, offset: 0 });
  const byFit = (all: readonly Server[]): readonly Server[] =>
    all.toSorted((one, other) => (fit(q, { label: one.name }) ?? 4) - (fit(q, { label: other.name }) ?? 4));
  const letters = /^[a-z]{2,}/i.exec(q)?.[0];
  if (items.length > 0 || letters === undefined || letters === q) return byFit(items);
  const near = await listServers.execute(actor, { q: letters, limit: MAX_SEARCHED, offset: 0 });
  return byFit(near.items.filter(({ name }) => fit(q, { label: name }) !== null)).slice(0, MAX_HITS);
}

/** A verb and the name of a server: "back up nas". */
async function verbHits(deps: SearchDeps, visit: SignedInVisit, q: string): Promise<readonly Hit[]> {
  const [wanted] = verbsIn(q).toSorted((one, other) => one.name.length - other.name.length);
  if (wanted === undefined) return [];
  const same = verbsIn(q).filter(({ name }) => name === wanted.name);
  const servers = await serversLike(deps, visit, wanted.name);
  return servers
    .filter(({ name }) => fit(wanted.name, { label: name }) !== null)
    .flatMap((server) =>
      actionsOn(
        server,
        mayOperate(visit.visitor.actor, server.id),
        same.map(({ action }) => action),
      ),
    )
    .slice(0, MAX_HITS);
}

/** The user's latest jobs, or those of all, and their servers: nothing is stored in the browser. */
async function recentOf(
  { listJobs }: SearchDeps,
  { visitor: { actor }, now }: SignedInVisit,
): Promise<readonly Hit[]> {
  const latest = { limit: MAX_HITS, offset: 0 };
  const own = await listJobs.execute(actor, { ...latest, requestedBy: actor.label });
  const { items } = own.items.length > 0 ? own : await listJobs.execute(actor, latest);
  const servers = new Map(items.map(({ serverId, serverName }) => [serverId, serverName]));
  return [
    ...[...servers]
      .slice(0, MAX_RECENT)
      .map(([id, name]): Hit => ({ href: `/servers/${id}`, icon: 'server', label: name })),
    ...items.slice(0, MAX_RECENT).map((job) => jobHit(job, now)),
  ];
}

/** Schedules, backup sources and tokens by their names. */
async function namedHits(
  deps: SearchDeps,
  { visitor: { actor } }: SignedInVisit,
  q: string,
): Promise<readonly HitGroup[]> {
  const searched = { limit: MAX_SEARCHED, offset: 0 };
  const [schedules, { items: backedUp }, tokens] = await Promise.all([
    deps.listSchedules.execute(actor, searched),
    deps.listFleetBackups.execute(actor, { only: undefined, q, limit: MAX_HITS, offset: 0 }),
    actor.role === 'administrator' ? deps.listTokens.execute(actor, searched) : null,
  ]);
  const sources = await Promise.all(
    backedUp.map(async ({ serverId, serverName }) => {
      const all = await deps.manageSources.list(actor, serverId);
      return all.map(({ name }) => ({ serverId, serverName, name }));
    }),
  );
  const groups: readonly HitGroup[] = [
    {
      label: 'Schedules',
      hits: schedules.items.map(({ schedule: { id, name, jobType } }) => ({
        href: `/schedules/${id}`,
        icon: 'calendar-clock',
        label: name,
        aside: jobTitle(jobType),
      })),
    },
    {
      label: 'Backup sources',
      hits: sources.flat().map(({ serverId, serverName, name }) => ({
        href: `/servers/${serverId}/sources#${name}`,
        icon: 'database-backup',
        label: name,
        aside: serverName,
      })),
    },
    {
      label: 'Tokens',
      hits: (tokens?.items ?? []).map(({ id, name, revokedAt }) => ({
        href: `/settings/tokens/${id}`,
        icon: 'bot',
        label: name,
        ...(revokedAt === null ? {} : { aside: 'revoked' }),
      })),
    },
  ];
  return groups.map(({ label, hits }) => ranked(q, label, hits, MAX_HITS));
}

/** `227` and `#227`: that the job is there is seen when its page is opened. */
function jobNumbered(q: string): readonly Hit[] {
  const id = /^#?(\d{1,12})$/.exec(q)?.[1];
  return id === undefined ? [] : [{ href: `/jobs/${id}`, icon: 'list-checks', label: `Job #${id}` }];
}

const serverHit = ({ id, name, address, tags }: Server): Hit => ({
  href: `/servers/${id}`,
  icon: 'server',
  label: name,
  aside: [address.connection === 'local' ? 'this machine' : address.hostname, ...tags].join(' · '),
});

const jobHit = (job: Job, now: Instant): Hit => ({
  href: `/jobs/${job.id}`,
  icon: 'list-checks',
  label: `${jobTitle(job.jobType)} #${job.id}`,
  aside: `${job.serverName} · ${stateWord(job.status)}, ${ago(job.createdAt, now)}`,
});

/** What can be done with the server that fits best, and what was done last. */
async function aboutServer(
  { listJobs, listSnapshots }: SearchDeps,
  { visitor: { actor }, now }: SignedInVisit,
  server: Server,
  q: string,
): Promise<readonly HitGroup[]> {
  const { id, name } = server;
  const recent = { limit: MAX_RECENT, offset: 0 };
  const [jobs, snapshots] = await Promise.all([
    listJobs.execute(actor, { ...recent, serverId: id }),
    listSnapshots.execute(actor, id, recent),
  ]);
  const score = fit(q, { label: name }) ?? 4;
  return [
    { label: name, hits: actionsOn(server, mayOperate(actor, id)), score: score + 0.1 },
    { label: `Jobs on ${name}`, hits: jobs.items.map((job) => jobHit(job, now)), score: score + 4 },
    {
      label: `Snapshots of ${name}`,
      hits: snapshots.items.map((snapshot) => ({
        href: `/snapshots/${snapshot.id}`,
        icon: 'history',
        label: snapshot.sourceName,
        aside: ago(snapshot.finishedAt, now),
      })),
      score: score + 4,
    },
  ];
}
