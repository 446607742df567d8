import type { ListSnapshots } from '../../../../../application/backups/list-snapshots.ts';
import type { ListTemplates } from '../../../../../application/compose/list-templates.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import { covers, type Role } from '../../../../../domain/access/role.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { ago } from '../../../../../domain/base/spans.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { groupsFor, SETTINGS, settingsFor } from '../../navigation.ts';
import { page, part, type SignedInVisit, type WebRoute } from '../../route.ts';
import { mayOperate } from '../fleet/remedy.tsx';

export interface SearchDeps {
  readonly listServers: Pick<ListServers, 'execute'>;
  readonly listTemplates: Pick<ListTemplates, 'execute'>;
  readonly listJobs: Pick<ListJobs, 'execute'>;
  readonly listSnapshots: Pick<ListSnapshots, 'execute'>;
}

interface Hit {
  readonly href: string;
  readonly icon: IconName;
  readonly label: string;
  /** What sets it apart from others of its kind. */
  readonly aside?: string;
}

interface HitGroup {
  readonly label: string;
  readonly hits: readonly Hit[];
}

const PATH = '/search';
const MAX_QUERY_LENGTH = 100;
/** Of each kind. */
const MAX_HITS = 6;
/** Of the server that fits best. */
const MAX_RECENT = 3;
/** Templates are few: search this many. */
const MAX_TEMPLATES = 200;

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
            <Hits groups={await groupsOf(deps, visit, q)} />
          </div>
        </>,
      );
    },
  },
  {
    method: 'GET',
    path: `/live${PATH}`,
    needs: 'viewer',
    handle: async (visit) => part(<Hits groups={await groupsOf(deps, visit, queryOf(visit))} />),
  },
];

const queryOf = ({ query }: SignedInVisit): string =>
  (query.get('q') ?? '').trim().slice(0, MAX_QUERY_LENGTH);

function Hits({ groups }: { readonly groups: readonly HitGroup[] }) {
  if (groups.length === 0) return <p>No results.</p>;
  return (
    <>
      {groups.map(({ label, hits }, group) => (
        <section key={label}>
          <h2>{label}</h2>
          <ul>
            {hits.map(({ href, icon, label: text, aside }, at) => (
              <li key={href}>
                <a href={href} id={`hit-${group}-${at}`}>
                  <Icon name={icon} />
                  <span>{text}</span>
                  {aside === undefined ? null : <small>{aside}</small>}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

async function groupsOf(deps: SearchDeps, visit: SignedInVisit, q: string): Promise<readonly HitGroup[]> {
  const { actor } = visit.visitor;
  const role = actor.role ?? 'viewer';
  const fits = ({ label }: Hit): boolean => label.toLowerCase().includes(q.toLowerCase());
  const places = placesFor(role).filter(fits);
  const actions = actionsFor(role).filter(fits);
  if (q === '') {
    return some([
      { label: 'Pages', hits: places },
      { label: 'Actions', hits: actions },
    ]);
  }
  const [servers, templates] = await Promise.all([
    deps.listServers.execute(actor, { q, limit: MAX_HITS, offset: 0 }),
    deps.listTemplates.execute(actor, { limit: MAX_TEMPLATES, offset: 0 }),
  ]);
  const best = servers.items.find(({ name }) => name === q) ?? servers.items[0];
  const found = templates.items.map(
    ({ name }): Hit => ({
      href: `/templates/${name}`,
      icon: 'boxes',
      label: name,
    }),
  );
  return some([
    { label: 'Jobs', hits: jobNumbered(q) },
    { label: 'Servers', hits: servers.items.map(serverHit) },
    ...(best === undefined ? [] : await aboutServer(deps, visit, best)),
    { label: 'Templates', hits: found.filter(fits).slice(0, MAX_HITS) },
    { label: 'Pages', hits: places.slice(0, MAX_HITS) },
    { label: 'Actions', hits: actions.slice(0, MAX_HITS) },
  ]);
}

const some = (groups: readonly HitGroup[]): readonly HitGroup[] =>
  groups.filter(({ hits }) => hits.length > 0);

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

/** What can be done with the server that fits best, and what was done last. */
async function aboutServer(
  { listJobs, listSnapshots }: SearchDeps,
  { visitor: { actor }, now }: SignedInVisit,
  { id, name, features }: Server,
): Promise<readonly HitGroup[]> {
  const recent = { limit: MAX_RECENT, offset: 0 };
  const [jobs, snapshots] = await Promise.all([
    listJobs.execute(actor, { ...recent, serverId: id }),
    listSnapshots.execute(actor, id, recent),
  ]);
  const start = (type: string): string => `/servers/${id}/jobs/new?type=${type}`;
  const actions: readonly (Hit | false)[] = [
    features.backup && { href: start('backup'), icon: 'database-backup', label: 'Back up …' },
    features.os_patch && { href: start('os_patch'), icon: 'package', label: 'Update packages …' },
    { href: start('host_reboot'), icon: 'power', label: 'Reboot …' },
  ];
  const startedAt = (at: Instant): string => ago(at, now);
  return [
    { label: name, hits: mayOperate(actor) ? actions.filter((hit) => hit !== false) : [] },
    {
      label: `Jobs on ${name}`,
      hits: jobs.items.map((job) => ({
        href: `/jobs/${job.id}`,
        icon: 'list-checks',
        label: `${jobTitle(job.jobType)} #${job.id}`,
        aside: `${job.status}, ${startedAt(job.createdAt)}`,
      })),
    },
    {
      label: `Snapshots of ${name}`,
      hits: snapshots.items.map((snapshot) => ({
        href: `/snapshots/${snapshot.id}`,
        icon: 'history',
        label: snapshot.sourceName,
        aside: startedAt(snapshot.finishedAt),
      })),
    },
  ];
}

const placesFor = (role: Role): readonly Hit[] => {
  const places = [...groupsFor(role).flatMap((group) => group.places), SETTINGS];
  const settings = settingsFor(role).filter(({ href }) => places.every((place) => place.href !== href));
  return [
    ...places,
    { href: '/batches', label: 'Batches', icon: 'list-checks' as const },
    { href: '/account', label: 'Account', icon: 'user' as const },
    ...settings.map(({ href, label }) => ({ href, label, icon: 'settings' as const })),
  ].map(({ href, label, icon }) => ({ href, label, icon }));
};

const ACTIONS: readonly (Hit & { readonly needs: Role })[] = [
  { href: '/servers/new', icon: 'plus', label: 'Add a server', needs: 'operator' },
  { href: '/batches/new', icon: 'play', label: 'Run a job on many servers', needs: 'operator' },
  { href: '/schedules/new', icon: 'calendar-clock', label: 'New schedule', needs: 'operator' },
  { href: '/windows/new', icon: 'wrench', label: 'New maintenance window', needs: 'operator' },
  { href: '/templates/new', icon: 'boxes', label: 'New template', needs: 'operator' },
  { href: '/settings/tokens/new', icon: 'bot', label: 'New token for an agent', needs: 'administrator' },
  { href: '/settings/alerts/new-webhook', icon: 'bell', label: 'New webhook', needs: 'administrator' },
  { href: '/settings/new-repository', icon: 'hard-drive', label: 'New repository', needs: 'administrator' },
];

const actionsFor = (role: Role): readonly Hit[] =>
  ACTIONS.filter(({ needs }) => covers(role, needs)).map(({ href, icon, label }) => ({ href, icon, label }));
