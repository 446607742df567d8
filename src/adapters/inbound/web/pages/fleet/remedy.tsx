import type { VNode } from 'preact';
import type { UrgentNeed } from '../../../../../application/fleet/get-overview.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';

/** Whether the user may change servers and start jobs, and not only read. */
export const mayOperate = (actor: Actor): boolean => actor.capabilities.has('jobs');

type ServerName = Pick<Server, 'id' | 'name'>;

/** Starts a job immediately: for those that change nothing on the host. */
export const StartNow = ({
  server,
  jobType,
  label,
  plain = false,
}: {
  readonly server: ServerName;
  readonly jobType: JobType;
  readonly label: string;
  readonly plain?: boolean;
}) => (
  <form method="post" action={`/servers/${server.id}/start`}>
    <input type="hidden" name="job_type" value={jobType} />
    <button type="submit" class={plain ? 'quiet small' : 'small'} aria-label={`${label}: ${server.name}`}>
      {label}
    </button>
  </form>
);

/** Tries to connect to the host, and refreshes its inventory. */
export const CheckNow = ({
  server,
  label = 'Check now',
}: {
  readonly server: ServerName;
  readonly label?: string;
}) => (
  <form method="post" action={`/servers/${server.id}/check`}>
    <button type="submit" class="quiet small" aria-label={`${label}: ${server.name}`}>
      {label}
    </button>
  </form>
);

export const Way = ({
  to,
  label,
  about,
}: {
  readonly to: string;
  readonly label: string;
  /** The object's name: links with the same label lead to different pages. */
  readonly about: string;
}) => (
  <a class="button quiet small" href={to} aria-label={`${label}: ${about}`}>
    {label}
  </a>
);

const MENDS: Readonly<Record<UrgentNeed, (server: Server) => VNode>> = {
  unreachable: (server) =>
    server.facts.contactError === 'host_key_mismatch' ? (
      <Way to={`/servers/${server.id}/setup/key`} label="Compare its key" about={server.name} />
    ) : (
      <CheckNow server={server} />
    ),
  stale_backup: (server) => <StartNow server={server} jobType="backup" label="Back up" />,
  security_updates: ({ id, name }) => (
    <Way to={`/servers/${id}/jobs/new?type=os_patch`} label="Install" about={name} />
  ),
  reboot: ({ id, name }) => (
    <Way to={`/servers/${id}/jobs/new?type=host_reboot`} label="Reboot" about={name} />
  ),
  updates_unknown: (server) => (
    <StartNow server={server} jobType="os_update_check" label="Check for updates" />
  ),
  unchecked: ({ id, name }) => <Way to={`/servers/${id}/setup`} label="Finish setting up" about={name} />,
};

/** The fix for a server's need: immediate if it changes nothing on the host, else a link to the page that decides. */
export const Remedy = ({ server, need }: { readonly server: Server; readonly need: UrgentNeed }) =>
  MENDS[need](server);
