import type { ComponentChildren } from 'preact';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { isUnreachable } from '../../../../../domain/fleet/fleet-conditions.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { stateNeeds } from '../../../../../domain/fleet/server-list.ts';
import { Chevron, Menu } from '../../components/menu.tsx';
import type { PageHead } from '../../components/page-header.tsx';
import { Ago } from '../../components/time.tsx';
import { type PageReply, page } from '../../route.ts';
import { StatePill } from './need-pill.tsx';
import { CheckNow, StartNow, Way } from './remedy.tsx';
import { Tags as ServerTags } from './server-table.tsx';

/** The tabs of a server's page, each with its own address below the server's; the others are in a menu. */
const TABS = [
  { path: '', label: 'Overview' },
  { path: '/backups', label: 'Backups' },
  {
    path: '/updates',
    label: 'Updates',
    count: ({ facts }: Server) => facts.osUpdatesCount,
    tone: ({ facts }: Server) => (facts.securityUpdatesCount ? ' care' : ''),
  },
  { path: '/containers', label: 'Containers', count: ({ facts }: Server) => facts.containerCount },
  { path: '/files', label: 'Files' },
  { path: '/jobs', label: 'Jobs' },
  { path: '/metrics', label: 'Metrics' },
  {
    path: '/notifications',
    label: 'Alerts',
    count: ({ alertsOpen }: Server) => alertsOpen,
    tone: () => ' bad',
  },
  { path: '/settings', label: 'Settings' },
  { path: '/sources', label: 'Backup sources' },
  { path: '/schedules', label: 'Schedules' },
] as const satisfies readonly {
  readonly path: string;
  readonly label: string;
  readonly count?: (server: Server) => number | null;
  /** Of the count. */
  readonly tone?: (server: Server) => string;
}[];
const MAX_TABS = 9;
export type ServerTab = (typeof TABS)[number]['path'];

/** Where a backup is the main action, or contact if there is none; the other pages have their own. */
const OF_BACKUPS: readonly ServerTab[] = ['', '/backups'];

interface ServerPageOptions {
  readonly server: Server;
  readonly tab: ServerTab;
  readonly mayAct: boolean;
  readonly status?: number;
  /** All of the page stays up to date, not only its head; a form that someone fills in stays as it is. */
  readonly live?: boolean;
}

/** A page about one server, with the ways to the others. */
export const serverPage = (
  { server, tab, mayAct, status, live = false }: ServerPageOptions,
  body: ComponentChildren,
): PageReply => ({
  ...page('servers', server.name, body, status),
  tabs: <Tabs server={server} tab={tab} />,
  tab: { href: `/servers/${server.id}`, label: TABS.find(({ path }) => path === tab)?.label ?? '' },
  live: { head: `${headPath(server)}?${new URLSearchParams({ tab })}`, all: live },
  headOf: ({ now, staleBefore }) => {
    const needs = stateNeeds(server, staleBefore);
    return {
      status: <StatePill {...{ needs, server, staleBefore }} />,
      tags:
        server.tags.length === 0 ? null : (
          <span class="tag-line">
            <ServerTags tags={server.tags} />
          </span>
        ),
      sub: <Whereabouts server={server} now={now} />,
      ...(mayAct ? actionsOf(server, tab) : {}),
      isSlim: tab !== '',
    };
  },
});

const headPath = ({ id }: Pick<Server, 'id'>): string => `/live/servers/${id}/head`;

/** The tab of that address, or the first. */
export const tabOf = (path: string | null): ServerTab => TABS.find((each) => each.path === path)?.path ?? '';

function Tabs({ server, tab }: Pick<ServerPageOptions, 'server' | 'tab'>) {
  const more = TABS.slice(MAX_TABS);
  const current = more.find(({ path }) => path === tab);
  return (
    <nav class="tabs" aria-label={`Pages of ${server.name}`}>
      {TABS.slice(0, MAX_TABS).map((each) => (
        <Tab key={each.path} {...{ each, server, tab }} />
      ))}
      <Menu
        id="more-pages"
        label="More pages"
        button={current === undefined ? 'tab' : 'tab current'}
        face={
          <>
            {current?.label ?? 'More'} <Chevron />
          </>
        }
      >
        {more.map((each) => (
          <Tab key={each.path} {...{ each, server, tab }} />
        ))}
      </Menu>
    </nav>
  );
}

function Tab({ each, server, tab }: { readonly each: (typeof TABS)[number] } & Parameters<typeof Tabs>[0]) {
  const shown = 'count' in each ? each.count(server) : null;
  return (
    <a href={`/servers/${server.id}${each.path}`} aria-current={each.path === tab ? 'page' : undefined}>
      {each.label}
      {shown ? <span class={`count${'tone' in each ? each.tone(server) : ''}`}>{shown}</span> : null}
    </a>
  );
}

function Whereabouts({ server, now }: { readonly server: Server; readonly now: Instant }) {
  const { address, facts } = server;
  return (
    <>
      <span class="mono">
        {address.connection === 'local'
          ? 'this machine'
          : `${address.sshUsername}@${address.hostname}:${address.sshPort}`}
      </span>
      {facts.osPretty === null ? null : ` · ${facts.osPretty}`}
      {facts.lastSeenAt === null ? null : (
        <>
          {' '}
          · seen <Ago at={facts.lastSeenAt} now={now} />
        </>
      )}
    </>
  );
}

interface ActionsProps extends Pick<ServerPageOptions, 'server'> {
  readonly hasMain: boolean;
}

/** Of a server that is unreachable, jobs are in the menu: it has to be reached first. */
const Actions = ({ server, hasMain }: ActionsProps) =>
  isUnreachable(server) ? (
    <CheckNow server={server} label="Check now" icon="refresh-cw" primary={hasMain} />
  ) : (
    <>
      <CheckNow server={server} label="Refresh" icon="refresh-cw" />
      <Jobs server={server} hasMain={hasMain} />
    </>
  );

function Jobs({ server, hasMain }: ActionsProps) {
  const { features } = server;
  return (
    <>
      {features.os_patch ? (
        <StartNow server={server} jobType="os_update_check" label="Check for updates" icon="package" />
      ) : null}
      {features.backup ? (
        <StartNow
          server={server}
          jobType="backup"
          label="Back up now"
          icon="database-backup"
          primary={hasMain}
        />
      ) : null}
    </>
  );
}

function actionsOf(server: Server, tab: ServerTab): Pick<PageHead, 'actions' | 'more'> {
  const { id, name, features } = server;
  return {
    actions: <Actions server={server} hasMain={OF_BACKUPS.includes(tab)} />,
    more: (
      <>
        {tab === '' ? null : (
          <div class="phone">
            <Actions server={server} hasMain={false} />
          </div>
        )}
        {isUnreachable(server) ? <Jobs server={server} hasMain={false} /> : null}
        <Way to={`/servers/${id}/jobs/new`} label="Run a job…" about={name} icon="play" />
        {features.docker ? (
          <StartNow
            server={server}
            jobType="container_update_check"
            label="Check for new images"
            icon="refresh-cw"
          />
        ) : null}
        <hr />
        <Way
          to={`/servers/${id}/jobs/new?type=host_reboot`}
          label="Reboot…"
          about={name}
          icon="power"
          tone="danger"
        />
      </>
    ),
  };
}
