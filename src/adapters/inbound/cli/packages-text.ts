import { shellCommand } from '../../../domain/base/shell-command.ts';
import { worseIn } from '../../../domain/fleet/downgrade.ts';
import { describeWorsening } from '../../../domain/fleet/host-health.ts';
import { describeChange, isPackageChange } from '../../../domain/fleet/package-change.ts';
import type { Job } from '../../../domain/jobs/job.ts';

/** As long as a plan can be: what a user confirms is listed whole. */
const MAX_LISTED = 1_000;

/** What a guarded update made worse, and the packages of such an update or of a downgrade; empty for other jobs. */
export function packagesText(job: Job): string {
  const worse = worseIn(job);
  if (worse.length === 0 && job.jobType !== 'os_downgrade') return '';
  const changes = rowsAt(job, 'changes').filter(isPackageChange);
  const heading = job.params.dryRun ? 'Packages to change' : 'Changed packages';
  return [
    listed('Worse than before', worse.map(describeWorsening)),
    listed(heading, changes.map(describeChange)),
    listed('Left alone', rowsAt(job, 'left_alone').flatMap(leftText)),
  ].join('');
}

const rowsAt = ({ result }: Job, name: string): readonly unknown[] => {
  const rows = result?.[name];
  return Array.isArray(rows) ? rows : [];
};

function leftText(row: unknown): readonly string[] {
  if (typeof row !== 'object' || row === null) return [];
  const { name, version, reason } = row as Readonly<Record<string, unknown>>;
  return [`${[name, version].filter(Boolean).join(' ')}: ${String(reason)}`];
}

/** How to plan the downgrade after an update that made its server worse. */
export const downgradeText = (job: Job): string =>
  worseIn(job).length === 0
    ? ''
    : `Plan the downgrade of these packages (apt and dnf) with: ${shellCommand`drover job downgrade ${job.id} --wait`}\n`;

function listed(heading: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const more = lines.length > MAX_LISTED ? [`and ${lines.length - MAX_LISTED} more`] : [];
  return `${heading}:\n${[...lines.slice(0, MAX_LISTED), ...more].map((line) => `  ${line}\n`).join('')}`;
}
