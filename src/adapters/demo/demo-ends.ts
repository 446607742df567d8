import { count } from '../../domain/base/count.ts';
import { type Instant, MINUTE, SECOND } from '../../domain/base/instant.ts';
import type { PackageChange } from '../../domain/fleet/package-change.ts';
import type { ServerFacts } from '../../domain/fleet/server.ts';
import type { Job, JobError, JobResult } from '../../domain/jobs/job.ts';
import type { Chance } from './chance.ts';
import { sizesOn } from './demo-bulk.ts';
import { snapshotName } from './demo-past.ts';

/** How a job of the demonstration went. */
export interface DemoEnd {
  readonly took: number;
  readonly lines: readonly string[];
  /** Its steps, of equal length. */
  readonly steps?: readonly string[];
  readonly summary: string;
  readonly error: JobError | null;
  readonly result: JobResult | null;
  readonly facts?: Partial<ServerFacts>;
}

interface Work {
  readonly job: Job;
  readonly at: Instant;
  /** Its server has no recent backup: no recent one succeeded. */
  readonly isStale: boolean;
  readonly updates: readonly PackageChange[];
  /** Its server's sources, by name. */
  readonly sources: readonly string[];
}

export const endOf = (work: Work, chance: Chance): DemoEnd => ({
  steps: STEPS[work.job.params.dryRun ? 'plan' : work.job.jobType] ?? [],
  ...outcomeOf(work, chance),
});

/** How long a deployment took. */
export const DEPLOY_TIME = 48 * SECOND;

const DEPLOYED: DemoEnd = {
  took: DEPLOY_TIME,
  lines: [
    'Writing compose.yaml',
    'Pulling the images',
    'Container created',
    'Container started',
    'All services are healthy',
  ],
  summary: 'Deployed the template.',
  error: null,
  result: null,
};

const STEPS: Readonly<Record<string, readonly string[]>> = {
  plan: ['Read the host', 'Work out the changes'],
  backup: ['Connect', 'Copy files', 'Record the snapshot'],
  os_patch: ['Refresh lists', 'Upgrade'],
  container_patch: ['Pull images', 'Recreate services'],
  template_deploy: ['Write the files', 'Pull images', 'Start services'],
};

function outcomeOf(work: Work, chance: Chance): DemoEnd {
  if (work.job.jobType === 'backup') return backup(work, chance);
  if (work.job.jobType === 'os_patch') return work.job.params.dryRun ? patchPlan(work) : patch(work, chance);
  if (work.job.jobType === 'container_patch') return containerPatch(work, chance);
  if (work.job.jobType === 'template_deploy') return DEPLOYED;
  return {
    took: chance.between(4, 40) * SECOND,
    lines: ['Refreshing the package lists', 'Reading what is pending'],
    summary: 'The package lists were refreshed.',
    error: null,
    result: null,
  };
}

function backup({ job, at, isStale, sources }: Work, chance: Chance): DemoEnd {
  const took = chance.between(20, 600) * SECOND;
  if (isStale || chance.happens(0.01)) {
    const detail = `${job.serverName} ended the connection after ${chance.between(20, 50)} s; the next backup continues from there.`;
    return failed(took, 'host_connection_lost', detail, [
      'Connecting',
      `Source "${sources[0] ?? 'etc'}": reading the list of files`,
      'ssh: connection reset by peer: cannot read from the host',
    ]);
  }
  const snapshots = sources.map((source) => {
    const { files, totalBytes } = sizesOn(job.serverName, source, at);
    return { source, name: snapshotName(at), files, total_bytes: totalBytes };
  });
  return {
    took,
    lines: snapshots.map(({ source, files }) => `Source "${source}": ${files} files, changes copied.`),
    summary: `Backed up ${count(sources.length, 'source')}.`,
    error: null,
    result: { dry_run: false, snapshots },
    facts: { lastBackupAt: at },
  };
}

function patchPlan({ updates }: Work): DemoEnd {
  return {
    took: 9 * SECOND,
    lines: ['Reading the host', 'Working out the upgrade'],
    summary: `Dry run: ${count(updates.length, 'package')} would be upgraded. Nothing was changed.`,
    error: null,
    result: { dry_run: true, ...changesOf(updates) },
  };
}

function patch({ updates }: Work, chance: Chance): DemoEnd {
  const took = chance.between(40, 400) * SECOND;
  const lines = updates.map(({ name, to }) => `Setting up ${name} (${to}) ...`);
  if (chance.happens(0.25)) {
    const detail = 'The package manager left a package half-configured: dpkg --audit names it.';
    return failed(took, 'patch_failed', detail, [
      'Reading package lists ...',
      ...lines,
      'Job for nginx.service failed because the control process exited with error code.',
      'nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)',
      'dpkg: error processing package nginx (--configure)',
      'W: Packages were left half-configured: nginx',
    ]);
  }
  return {
    took,
    lines: [...lines, 'Processing triggers ...'],
    summary: `Upgraded ${updates.length}, installed 0, removed 0 packages.`,
    error: null,
    result: { dry_run: false, ...changesOf(updates) },
  };
}

function containerPatch({ job }: Work, chance: Chance): DemoEnd {
  const took = 2 * MINUTE + chance.between(1, 50) * SECOND;
  if (job.serverName.endsWith('-03')) {
    const detail = 'The service api was not healthy within 120 s; it runs its previous image again.';
    return failed(took, 'deploy_failed', detail, [
      'api Pulled',
      'api Recreated',
      'api Unhealthy: connection refused on port 8080',
      'api Recreated with the previous image',
    ]);
  }
  const change = {
    kind: 'image',
    directory: '/srv/compose/api',
    service: 'api',
    image: 'registry.example.org/api:9',
    from: `sha256:${'4e1a09c7b2d5'.repeat(5)}4e1a`,
    to: `sha256:${'b83f6d20e9a1'.repeat(5)}b83f`,
  };
  return {
    took,
    lines: ['api Pulled', 'api Recreated', 'api Healthy'],
    summary: 'Replaced the image of 1 service.',
    error: null,
    result: { dry_run: false, changes: [change] },
  };
}

const changesOf = (changes: readonly PackageChange[]): JobResult => ({
  changes_count: changes.length,
  security_count: changes.filter(({ security }) => security).length,
  changes,
  held: [],
  kept_back: [],
  reboot_pending: false,
  notes: [],
});

const failed = (took: number, code: JobError['code'], detail: string, lines: readonly string[]): DemoEnd => ({
  took,
  lines,
  summary: detail,
  error: { code, detail },
  result: null,
});
