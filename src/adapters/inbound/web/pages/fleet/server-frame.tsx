import type { ComponentChildren } from 'preact';
import type { UrgentNeed } from '../../../../../application/fleet/get-overview.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { PageHead } from '../../components/page-header.tsx';
import { Status, type Tone } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { type PageReply, page } from '../../route.ts';
import { CheckNow, StartNow, Way } from './remedy.tsx';
import { Tags } from './server-table.tsx';

/** The tabs of a server's page, each with its own address below the server's. */
const TABS = [
  { path: '', label: 'Overview' },
  { path: '/backups', label: 'Backups' },
  { path: '/sources', label: 'Backup sources' },
  { path: '/updates', label: 'Updates', count: ({ facts }: Server) => facts.osUpdatesCount },
  { path: '/containers', label: 'Containers', count: ({ facts }: Server) => facts.containerCount },
  { path: '/files', label: 'Files' },
  { path: '/jobs', label: 'Jobs' },
  { path: '/schedules', label: 'Schedules' },
  { path: '/metrics', label: 'Metrics' },
  { path: '/notifications', label: 'Alerts', count: ({ alertsOpen }: Server) => alertsOpen },
  { path: '/settings', label: 'Settings' },
] as const satisfies readonly {
  readonly path: string;
  readonly label: string;
  readonly count?: (server: Server) => number | null;
}[];
export type ServerTab = (typeof TABS)[number]['path'];

interface ServerPageOptions {
  readonly server: Server;
  readonly tab: ServerTab;
  readonly mayAct: boolean;
  readonly status?: number;
  /** What it needs most, if the page knows. */
  readonly need?: UrgentNeed | undefined;
  readonly now?: Instant;
}

/** A page about one server, with the ways to the others. */
export const serverPage = (
  { server, tab, mayAct, status, need, now }: ServerPageOptions,
  body: ComponentChildren,
): PageReply => ({
  ...page(
    'servers',
    server.name,
    <>
      <nav class="tabs" aria-label={`Pages of ${server.name}`}>
        {TABS.map((each) => {
          const count = 'count' in each ? each.count(server) : null;
          return (
            <a
              key={each.path}
              href={`/servers/${server.id}${each.path}`}
              aria-current={each.path === tab ? 'page' : undefined}
            >
              {each.label}
              {count ? <span class="count">{count}</span> : null}
            </a>
          );
        })}
      </nav>
      {body}
    </>,
    status,
  ),
  header: {
    status: need === undefined ? null : <Need need={need} />,
    tags: server.tags.length === 0 ? null : <Tags tags={server.tags} />,
    sub: <Whereabouts server={server} now={now} />,
    ...(mayAct ? actionsOf(server) : {}),
  },
});

const NEEDS: Readonly<Record<UrgentNeed, readonly [Tone, string]>> = {
  unreachable: ['bad', 'Unreachable'],
  stale_backup: ['bad', 'Backup overdue'],
  security_updates: ['bad', 'Security updates'],
  reboot: ['care', 'Reboot needed'],
  updates_unknown: ['care', 'Updates unknown'],
  unchecked: ['care', 'Setup not finished'],
};

function Need({ need }: { readonly need: UrgentNeed }) {
  const [tone, word] = NEEDS[need];
  return <Status tone={tone}>{word}</Status>;
}

function Whereabouts({ server, now }: { readonly server: Server; readonly now: Instant | undefined }) {
  const { address, facts } = server;
  return (
    <>
      <span class="mono">
        {address.connection === 'local'
          ? 'this machine'
          : `${address.sshUsername}@${address.hostname}:${address.sshPort}`}
      </span>
      {facts.osPretty === null ? null : ` · ${facts.osPretty}`}
      {now === undefined || facts.lastSeenAt === null ? null : (
        <>
          {' '}
          · seen <Ago at={facts.lastSeenAt} now={now} />
        </>
      )}
    </>
  );
}

function actionsOf(server: Server): Pick<PageHead, 'actions' | 'more'> {
  const { id, name, features } = server;
  return {
    actions: (
      <>
        <CheckNow server={server} label="Refresh" />
        {features.os_patch ? (
          <StartNow server={server} jobType="os_update_check" label="Check for updates" plain />
        ) : null}
        {features.backup ? <StartNow server={server} jobType="backup" label="Back up now" /> : null}
      </>
    ),
    more: (
      <>
        <Way to={`/servers/${id}/jobs/new`} label="Run a job…" about={name} />
        {features.docker ? (
          <StartNow server={server} jobType="container_update_check" label="Check for new images" plain />
        ) : null}
        <Way to={`/servers/${id}/jobs/new?type=host_reboot`} label="Reboot…" about={name} />
      </>
    ),
  };
}
