import type { Feature } from '../../../../../domain/access/scope.ts';
import { capital } from '../../../../../domain/base/spans.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';

interface JobWords {
  /** Its purpose, in a sentence. */
  readonly help: string;
  /** Side effects on the host that a user should know before confirming; `null`: none. */
  readonly effect: string | null;
}

/** Display names of job types. */
export const JOB_WORDS = {
  backup: {
    help: 'Takes a snapshot of the backup sources.',
    effect: null,
  },
  retention: {
    help: 'Removes snapshots that no rule of their source keeps.',
    effect: 'The snapshots below are permanently removed.',
  },
  snapshot_verify: {
    help: 'Restores files of the newest snapshots to a temporary directory and compares them.',
    effect: null,
  },
  restore: {
    help: 'Restores files of a snapshot to its server.',
    effect: 'Existing files may be replaced.',
  },
  dump_restore: {
    help: 'Replaces the content of a database with a dump from a snapshot.',
    effect: 'The current content of the database is replaced.',
  },
  os_update_check: {
    help: "Refreshes the host's package lists and reports pending updates.",
    effect: null,
  },
  os_patch: {
    help: 'Installs pending updates. The dry run uses the current package lists: check for updates first to refresh them.',
    effect: 'Services whose packages change may restart.',
  },
  os_downgrade: {
    help: 'Installs the versions again that packages had before an update.',
    effect: 'Services whose packages change may restart.',
  },
  host_reboot: {
    help: 'Restarts the host and waits until it is back.',
    effect: 'Everything on the host stops, and starts again only if it is set to start automatically.',
  },
  container_update_check: {
    help: 'Asks the registries whether running containers have newer images.',
    effect: null,
  },
  container_patch: {
    help: 'Updates running Compose services to newer images; unhealthy ones are rolled back.',
    effect: 'Containers with a new image are recreated, with a short interruption.',
  },
  docker_stack_check: {
    help: 'Checks a Compose project, and reports what a deployment would change.',
    effect: null,
  },
  docker_stack_deploy: {
    help: "Makes a Compose project's containers match its files.",
    effect: 'Changed containers are recreated; services that are no longer in the files are removed.',
  },
  docker_stack_stop: {
    help: 'Stops the services of a Compose project.',
    effect: 'The services are unavailable until the stack is started again.',
  },
  docker_stack_start: {
    help: 'Starts the stopped services of a Compose project.',
    effect: null,
  },
  docker_stack_restart: {
    help: 'Restarts the running services of a Compose project.',
    effect: 'The services are briefly unavailable.',
  },
  template_deploy: {
    help: 'Deploys a Compose project from a template; unhealthy ones are rolled back.',
    effect: 'The files below are written, and changed containers are recreated.',
  },
  template_redeploy: {
    help: 'Deploys the newest version of the template with the values of the last deployment.',
    effect: 'The files below are written, and changed containers are recreated.',
  },
} as const satisfies Record<JobType, JobWords>;

export const wordsOf = (type: JobType): JobWords => JOB_WORDS[type];

/** A job's current step, or what it waits for. The approval deadline is on the request's own page. */
export const currentOf = ({ status, current }: Pick<Job, 'status' | 'current'>): string | null =>
  status === 'awaiting_approval' ? 'Waiting for approval; starts automatically afterwards.' : current;

/** The result of a job beside its state and tags, which say that it waits, or that it was a dry run. */
export function resultLine(
  job: Pick<Job, 'status' | 'current' | 'error' | 'summary' | 'params'>,
): string | null {
  const { status, current, error, summary, params } = job;
  if (status === 'awaiting_approval') return null;
  if (error !== null || summary === null) return error?.detail ?? summary ?? current;
  const said = params.dryRun ? capital(summary.replace(/^Dry run: /, '').replace(DRY_RUN_END, '')) : summary;
  return SHORTER.reduce((text, [long, short]) => text.replace(long, short), said);
}

/** What counts is first, and what did not happen is left out. */
const SHORTER: readonly (readonly [RegExp, string])[] = [
  [/(\d packages?) (?:to upgrade|would be upgraded)\b/, '$1'],
  [/ \(0 security fixes\)/, ''],
  [/(\d security) fix(?:es)?\b/, '$1'],
  [/, 0 (?:new|to remove)\b/g, ''],
  [/, (?:installed|removed) 0(?: packages)?\b/g, ''],
];

/** What is so of every dry run. */
const DRY_RUN_END =
  /( according to the host's current package lists, which were not refreshed)?\.?( (Nothing was (changed|written|read)|No registry was queried)\.)?$/;

export const FEATURE_TITLES: Readonly<Record<Feature, string>> = {
  backup: 'Backups',
  os: 'System',
  docker: 'Containers',
};
