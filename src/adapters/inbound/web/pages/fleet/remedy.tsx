import type { VNode } from 'preact';
import type { Actor, Extent } from '../../../../../domain/access/actor.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { StateNeed } from '../../../../../domain/fleet/server-list.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { turnOnLabel } from '../jobs/turn-on.tsx';

/** Whether the user may change this server (or any, or all) and start jobs, and not only read. */
export const mayOperate = (actor: Actor, where: Extent): boolean => actor.may('jobs', where);

type ServerName = Pick<Server, 'id' | 'name'>;

interface ActionProps {
  readonly server: ServerName;
  readonly label: string;
  readonly icon?: IconName | undefined;
}

/** Starts a job immediately: for those that change nothing on the host. */
export const StartNow = ({
  server,
  jobType,
  label,
  icon,
  primary = false,
}: ActionProps & {
  readonly jobType: JobType;
  /** The main action of the page, of which there is one. */
  readonly primary?: boolean;
}) => (
  <form method="post" action={`/servers/${server.id}/start`}>
    <input type="hidden" name="job_type" value={jobType} />
    <button type="submit" class={primary ? 'small' : 'quiet small'} aria-label={`${label}: ${server.name}`}>
      {icon ? <Icon name={icon} /> : null}
      {label}
    </button>
  </form>
);

/** Tries to connect to the host, and refreshes its inventory. */
export const CheckNow = ({
  server,
  label,
  icon,
  primary = false,
}: ActionProps & { readonly primary?: boolean }) => (
  <form method="post" action={`/servers/${server.id}/check`}>
    <button type="submit" class={primary ? 'small' : 'quiet small'} aria-label={`${label}: ${server.name}`}>
      {icon ? <Icon name={icon} /> : null}
      {label}
    </button>
  </form>
);

/** The same of several. */
export const CheckAll = ({
  servers,
  about,
}: {
  readonly servers: readonly ServerName[];
  readonly about: string;
}) => (
  <form method="post" action="/servers/check">
    {servers.map(({ id }) => (
      <input key={id} type="hidden" name="ids" value={id} />
    ))}
    <button type="submit" class="quiet small" aria-label={`Check again: ${about}`}>
      Check again
    </button>
  </form>
);

export const Way = ({
  to,
  label,
  about,
  icon,
  download = false,
  desk = false,
  tone,
}: {
  readonly to: string;
  readonly label: string;
  /** The object's name: links with the same label lead to different pages. */
  readonly about: string;
  readonly icon?: IconName | undefined;
  /** It leads to a file. */
  readonly download?: boolean;
  /** Not on phones, where the row itself leads there. */
  readonly desk?: boolean;
  /** `soft`: it stands out. */
  readonly tone?: 'danger' | 'soft' | undefined;
}) => (
  <a
    class={['button quiet small', desk ? 'desk' : '', tone].filter(Boolean).join(' ')}
    href={to}
    aria-label={`${label}: ${about}`}
    download={download ? true : undefined}
  >
    {icon ? <Icon name={icon} /> : null}
    {label}
  </a>
);

export const TurnOnBackups = ({ server: { id, name } }: { readonly server: ServerName }) => (
  <Way to={`/servers/${id}/settings#features-form`} label="Turn on backups" about={name} />
);

/** The next step towards its first snapshot. */
export const FirstSource = ({ server }: { readonly server: Server }) =>
  server.features.backup ? (
    <Way to={`/servers/${server.id}/sources`} label="Add a source" about={server.name} />
  ) : (
    <TurnOnBackups server={server} />
  );

const showAlerts: RemedyOf = ({ id, name }, icon) => (
  <Way to={`/servers/${id}/notifications`} label="Show alerts" about={name} icon={icon} />
);

const backUp: RemedyOf = (server, icon) => (
  <StartNow server={server} jobType="backup" label="Back up" icon={icon} />
);

type RemedyOf = (server: Server, icon?: IconName) => VNode;

const REMEDIES: Readonly<Record<StateNeed, readonly [IconName, RemedyOf]>> = {
  unreachable: [
    'refresh-cw',
    (server, icon) =>
      server.facts.contactError === 'host_key_mismatch' ? (
        <Way to={`/servers/${server.id}/setup/key`} label="Compare keys" about={server.name} icon={icon} />
      ) : (
        <CheckNow server={server} label="Check now" icon={icon} />
      ),
  ],
  critical_alert: ['bell', showAlerts],
  alert: ['bell', showAlerts],
  stale_backup: ['database-backup', backUp],
  no_backup: ['database-backup', backUp],
  disk_full: [
    'history',
    ({ id, name }, icon) => (
      <Way to={`/servers/${id}/metrics?range=30d`} label="Show history" about={name} icon={icon} />
    ),
  ],
  security_updates: [
    'package',
    ({ id, name, features }, icon) => (
      <Way
        to={`/servers/${id}/jobs/new?type=os_patch`}
        label={features.os_patch ? 'Update packages…' : turnOnLabel('os_patch')}
        about={name}
        icon={icon}
      />
    ),
  ],
  reboot: [
    'power',
    ({ id, name }, icon) => (
      <Way to={`/servers/${id}/jobs/new?type=host_reboot`} label="Reboot…" about={name} icon={icon} />
    ),
  ],
  updates_unknown: [
    'refresh-cw',
    (server, icon) => (
      <StartNow server={server} jobType="os_update_check" label="Check for updates" icon={icon} />
    ),
  ],
  unchecked: [
    'wrench',
    ({ id, name }, icon) => <Way to={`/servers/${id}/setup`} label="Finish setup" about={name} icon={icon} />,
  ],
};

/** The fix for a server's need: immediate if it changes nothing on the host, else a link to the page that decides. */
export function Remedy({
  server,
  need,
  hasIcon = false,
}: {
  readonly server: Server;
  readonly need: StateNeed;
  /** In menus. */
  readonly hasIcon?: boolean;
}) {
  const [icon, shown] = REMEDIES[need];
  return shown(server, hasIcon ? icon : undefined);
}
