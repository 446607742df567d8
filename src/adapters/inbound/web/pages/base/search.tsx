import type { ListTokens } from '../../../../../application/access/manage-tokens.ts';
import type { ListSchedules } from '../../../../../application/automation/list-schedules.ts';
import type { ListFleetBackups } from '../../../../../application/backups/list-fleet-backups.ts';
import type { ListSnapshots } from '../../../../../application/backups/list-snapshots.ts';
import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
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
import { stateWord } from '../../components/status.tsx';
import { groupsFor, SETTINGS, settingsFor } from '../../navigation.ts';
import { page, part, type SignedInVisit, type WebRoute } from '../../route.ts';
import { mayOperate } from '../fleet/remedy.tsx';

export interface SearchDeps {
  readonly listServers: Pick<ListServers, 'execute'>;
  readonly listTemplates: Pick<ListTemplates, 'execute'>;
  readonly listJobs: Pick<ListJobs, 'execute'>;
  readonly listSnapshots: Pick<ListSnapshots, 'execute'>;
  readonly listFleetBackups: Pick<ListFleetBackups, 'execute'>;
  readonly manageSources: Pick<ManageSources, 'list'>;
  readonly listSchedules: Pick<ListSchedules, 'execute'>;
  readonly listTokens: Pick<ListTokens, 'execute'>;
}

interface Hit {
  readonly href: string;
  readonly icon: IconName;
  readonly label: string;
  /** What sets it apart from others of its kind. */
  readonly aside?: string;
  /** Other words to find it by. */
  readonly keywords?: string;
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
    handle: async (visit) => part(<Hits groups={await groupsOf(deps, visit, queryOf(visit))} inPalette />),
  },
];

const queryOf = ({ query }: SignedInVisit): string =>
  (query.get('q') ?? '').trim().slice(0, MAX_QUERY_LENGTH);

/** Links in lists; in the palette, whose field selects one of them, options. */
function Hits({
  groups,
  inPalette = false,
}: {
  readonly groups: readonly HitGroup[];
  readonly inPalette?: boolean;
}) {
  if (groups.length === 0) return <p>No results.</p>;
  const plain = inPalette ? ({ role: 'presentation' } as const) : {};
  const sections = groups.map(({ label, hits }, group) => (
    <section key={label} role={inPalette ? 'group' : undefined} aria-label={inPalette ? label : undefined}>
      <h2 {...plain}>{label}</h2>
      <ul {...plain}>
        {hits.map(({ href, icon, label: text, aside }, at) => (
          <li key={href} {...plain}>
            <a href={href} id={`hit-${group}-${at}`} role={inPalette ? 'option' : undefined}>
              <Icon name={icon} />
              <span>{text}</span>
              {aside === undefined ? null : <small>{aside}</small>}
            </a>
          </li>
        ))}
      </ul>
    </section>
  ));
  return inPalette ? (
    <div role="listbox" aria-label="Results">
      {sections}
    </div>
  ) : (
    <>{sections}</>
  );
}

async function groupsOf(deps: SearchDeps, visit: SignedInVisit, q: string): Promise<readonly HitGroup[]> {
  const { actor } = visit.visitor;
  const role = actor.role ?? 'viewer';
  const fits = fitting(q);
  const places = placesFor(role).filter(fits);
  const actions = actionsFor(role).filter(fits);
  if (q === '') {
    return some([
      { label: 'Pages', hits: places },
      { label: 'Actions', hits: actions },
    ]);
  }
  const [servers, templates, named] = await Promise.all([
    deps.listServers.execute(actor, { q, limit: MAX_HITS, offset: 0 }),
    deps.listTemplates.execute(actor, { limit: MAX_SEARCHED, offset: 0 }),
    namedHits(deps, visit, q),
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
    { label: 'Actions', hits: actions.slice(0, MAX_HITS) },
    ...named,
    { label: 'Templates', hits: found.filter(fits).slice(0, MAX_HITS) },
    { label: 'Pages', hits: places.slice(0, MAX_HITS) },
  ]);
}

const some = (groups: readonly HitGroup[]): readonly HitGroup[] =>
  groups.filter(({ hits }) => hits.length > 0);

/** Each word of the query is in the label or the keywords. */
function fitting(q: string): (hit: Hit) => boolean {
  const wanted = q.toLowerCase().split(/\s+/);
  return ({ label, keywords = '' }) => {
    const text = `${label} ${keywords}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
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
  const isNamed = ({ label }: Hit): boolean => label.toLowerCase().includes(q.toLowerCase());
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
  return groups.map(({ label, hits }) => ({ label, hits: hits.filter(isNamed).slice(0, MAX_HITS) }));
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
        aside: `${stateWord(job.status)}, ${startedAt(job.createdAt)}`,
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
  const settings = settingsFor(role)
    .flatMap(({ pages }) => pages)
    .filter(({ href }) => href !== SETTINGS.href);
  return [
    ...places,
    { href: '/batches', label: 'Batches', icon: 'list-checks' as const },
    { href: '/account', label: 'Account', icon: 'user' as const },
    ...settings.map(({ href, label }) => ({ href, label, icon: 'settings' as const })),
  ].map(({ href, label, icon }) => ({ href, label, icon }));
};

const ACTIONS: readonly (Hit & { readonly needs: Role })[] = [
  { href: '/servers/new', icon: 'plus', label: 'Add a server', needs: 'operator', keywords: 'new host' },
  { href: '/batches/new', icon: 'play', label: 'Run a job on many servers', needs: 'operator' },
  {
    href: '/batches/new?type=backup',
    icon: 'database-backup',
    label: 'Back up servers …',
    needs: 'operator',
  },
  { href: '/batches/new?type=os_patch', icon: 'package', label: 'Update packages …', needs: 'operator' },
  {
    href: '/batches/new?type=container_patch',
    icon: 'boxes',
    label: 'Update containers …',
    needs: 'operator',
  },
  { href: '/batches/new?type=host_reboot', icon: 'power', label: 'Reboot servers …', needs: 'operator' },
  { href: '/backups', icon: 'history', label: 'Restore from a backup …', needs: 'operator' },
  {
    href: '/schedules/new',
    icon: 'calendar-clock',
    label: 'New schedule',
    needs: 'operator',
    keywords: 'add',
  },
  {
    href: '/windows/new',
    icon: 'wrench',
    label: 'New maintenance window',
    needs: 'operator',
    keywords: 'add',
  },
  { href: '/templates/new', icon: 'boxes', label: 'New template', needs: 'operator', keywords: 'add' },
  {
    href: '/settings/tokens/new',
    icon: 'bot',
    label: 'New token for an agent',
    needs: 'administrator',
    keywords: 'add create',
  },
  {
    href: '/settings/alerts/new-channel',
    icon: 'bell',
    label: 'Add alert channel',
    needs: 'administrator',
    keywords: 'new',
  },
  {
    href: '/settings/new-repository',
    icon: 'hard-drive',
    label: 'New repository',
    needs: 'administrator',
    keywords: 'add',
  },
];

const actionsFor = (role: Role): readonly Hit[] => ACTIONS.filter(({ needs }) => covers(role, needs));
