import type { ComponentChildren } from 'preact';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { type PageReply, page } from '../../route.ts';
import { CheckNow, StartNow } from './remedy.tsx';
import { Tags } from './server-table.tsx';

/** The tabs of a server's page, each with its own address below the server's. */
const TABS = [
  { path: '', label: 'Summary' },
  { path: '/updates', label: 'Updates' },
  { path: '/containers', label: 'Containers' },
  { path: '/jobs', label: 'Jobs' },
  { path: '/backups', label: 'Backups' },
  { path: '/files', label: 'Files' },
  { path: '/sources', label: 'Backup sources' },
  { path: '/schedules', label: 'Schedules' },
  { path: '/notifications', label: 'Notifications' },
  { path: '/settings', label: 'Settings' },
] as const;
export type ServerTab = (typeof TABS)[number]['path'];

interface ServerPageOptions {
  readonly server: Server;
  readonly tab: ServerTab;
  readonly mayAct: boolean;
  readonly status?: number;
}

/** A page about one server, with the ways to the others. */
export const serverPage = (
  { server, tab, mayAct, status }: ServerPageOptions,
  body: ComponentChildren,
): PageReply =>
  page(
    'servers',
    server.name,
    <>
      <ServerHead server={server} mayAct={mayAct} />
      <nav class="tabs" aria-label={`Pages of ${server.name}`}>
        {TABS.map(({ path, label }) => (
          <a
            key={path}
            href={`/servers/${server.id}${path}`}
            aria-current={path === tab ? 'page' : undefined}
          >
            {label}
            {path === '/notifications' && server.alertsOpen > 0 ? ` (${server.alertsOpen})` : ''}
          </a>
        ))}
      </nav>
      {body}
    </>,
    status,
  );

function ServerHead({ server, mayAct }: { readonly server: Server; readonly mayAct: boolean }) {
  const { address, features } = server;
  return (
    <div class="row above">
      <p class="quiet grow">
        <span class="mono">
          {address.connection === 'local'
            ? 'this machine'
            : `${address.sshUsername}@${address.hostname}:${address.sshPort}`}
        </span>{' '}
        <Tags tags={server.tags} />
      </p>
      {mayAct ? (
        <div class="row">
          <a href={`/servers/${server.id}/jobs/new`}>Start a job</a>
          <CheckNow server={server} label="Read inventory" />
          {features.os_patch ? (
            <StartNow server={server} jobType="os_update_check" label="Look for updates" plain />
          ) : null}
          {features.docker ? (
            <StartNow server={server} jobType="container_update_check" label="Look for images" plain />
          ) : null}
          {features.backup ? <StartNow server={server} jobType="backup" label="Back up" /> : null}
        </div>
      ) : null}
    </div>
  );
}
