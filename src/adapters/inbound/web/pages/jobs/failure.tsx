import type { ErrorCode } from '../../../../../domain/base/errors.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import { Icon } from '../../components/icon.tsx';
import { type ErrorLine, firstError } from './job-log.tsx';

interface Cure {
  readonly href: string;
  readonly label: string;
}

type CureOf = (job: Job) => Cure;

const atServer =
  (path: string, label: string): CureOf =>
  ({ serverId }) => ({ href: `/servers/${serverId}/${path}`, label });

/** The source that a failed backup names, or the one that it was for. */
const sourceOf = ({ error, params }: Job): string | null =>
  /^(?:A b|B)ackup of "([^"]+)"/.exec(error?.detail ?? '')?.[1] ?? params.sourceFilter;

const atSource =
  (place: 'edit' | 'dumps', label: string): CureOf =>
  (job) => {
    const source = sourceOf(job);
    const sources = `/servers/${job.serverId}/sources`;
    return source === null
      ? { href: sources, label: 'Check the sources' }
      : { href: `${sources}/${encodeURIComponent(source)}/${place}`, label: `${label} ${source}` };
  };

const CONNECTION: CureOf = ({ serverId }) => ({
  href: `/servers/${serverId}`,
  label: 'Check the connection',
});
const HOST_KEY = atServer('setup/host-key', 'Compare the host key');
const CONTAINERS = atServer('containers', 'View containers');
const UPDATES = atServer('updates', 'View updates');
const SOURCE = atSource('edit', 'Edit source');
const REPOSITORIES: CureOf = () => ({ href: '/settings/repositories', label: 'Check the repository' });

/** Where the cause of a failure can be fixed. */
const CURES: Partial<Readonly<Record<ErrorCode, CureOf>>> = {
  source_missing: SOURCE,
  backup_failed: SOURCE,
  host_permission_denied: SOURCE,
  hook_failed: SOURCE,
  dump_failed: atSource('dumps', 'Edit dumps of'),
  no_backup_source: atServer('sources', 'Add a source'),
  source_not_found: atServer('sources', 'Check the sources'),
  host_unreachable: CONNECTION,
  host_connection_lost: CONNECTION,
  host_timeout: CONNECTION,
  host_auth_failed: atServer('setup/key', 'Install the key'),
  host_key_unknown: HOST_KEY,
  host_key_mismatch: HOST_KEY,
  feature_disabled: atServer('settings', 'Enable the feature'),
  patch_failed: UPDATES,
  compose_invalid: CONTAINERS,
  deploy_failed: CONTAINERS,
  rollback_failed: CONTAINERS,
  disk_full: atServer('metrics', 'View disk usage'),
  repository_unusable: REPOSITORIES,
  repository_in_use: REPOSITORIES,
  outside_maintenance_window: () => ({ href: '/windows', label: 'View maintenance windows' }),
  held_by_policy: () => ({ href: '/policies', label: 'View patch policies' }),
};

/** Characters of the log that the banner quotes. */
const MAX_SAID = 300;

interface FailureProps {
  readonly job: Job;
  /** The first line of the log that reports an error, if it is shown. */
  readonly line: ErrorLine | null;
}

/** How package managers name what they could not install or configure. */
const PACKAGE =
  /error processing package ([\w.+:-]+)|half-configured: ([\w.+:-]+)|unpacking rpm package ([\w.+:-]+)/i;

/** The package, service or source that failed. */
function itemOf(job: Job): string | null {
  if (job.jobType === 'os_patch')
    return job.logTail.flatMap((line) => PACKAGE.exec(line)?.slice(1) ?? []).find(Boolean) ?? null;
  return job.params.service ?? (job.jobType === 'backup' ? sourceOf(job) : null);
}

/** Why a job failed, in which part of its work, and where to fix it. */
export function Failure({ job, line }: FailureProps) {
  if (job.error === null) return null;
  const { code, detail } = job.error;
  const [, first = detail, rest = ''] = /^(.+?[.!])\s+(\S.*)$/s.exec(detail) ?? [];
  const cure = CURES[code]?.(job);
  const item = itemOf(job);
  const said = (line ?? firstError({ first: 1, lines: job.logTail }))?.text;
  return (
    <div class={job.status === 'failed' ? 'banner bad' : 'banner care'}>
      <Icon name="circle-alert" />
      <div>
        <strong>{item === null || first.includes(item) ? first : `${item}: ${first}`}</strong>
        <p>
          {rest} <code>{code}</code>
        </p>
        {said === undefined || detail.includes(said) ? null : (
          <p class="mono said">{said.slice(0, MAX_SAID)}</p>
        )}
      </div>
      <span class="row">
        {line === null ? null : (
          <a class="button quiet small" href={`#L${line.number}`}>
            Jump to line {line.number}
          </a>
        )}
        <a class="button quiet small" href={`/docs/errors#${code}`}>
          What to do
        </a>
        {cure ? (
          <a class="button quiet small" href={cure.href}>
            {cure.label}
          </a>
        ) : null}
      </span>
    </div>
  );
}
