import { InvalidInput } from '../base/errors.ts';
import { isTerminal, type Job } from '../jobs/job.ts';
import { isWorsening, type Worsening } from './host-health.ts';
import { isPackageChange, type PackageChange } from './package-change.ts';

/**
 * What a package update changed, for its downgrade. Throws `InvalidInput` for a job that is no update, or one whose
 * result does not name an upgraded package, or not all of them.
 */
export function changesToUndo(update: Job): readonly PackageChange[] {
  const { id, jobType, params, result, status } = update;
  if (jobType !== 'os_patch' || params.dryRun) throw unsuitable(`Job ${id} did not update packages.`);
  if (!isTerminal(status)) throw unsuitable(`Job ${id} has not ended yet.`);
  const named = result?.['changes'];
  const changes = Array.isArray(named) ? named.filter(isPackageChange) : [];
  if (!changes.some(({ kind }) => kind === 'upgrade')) throw unsuitable(`Job ${id} upgraded no packages.`);
  const total = result?.['changes_count'];
  if (typeof total === 'number' && total > changes.length) {
    throw unsuitable(`Job ${id} changed ${total} packages, and ${changes.length} is the most to downgrade.`);
  }
  return changes;
}

/** What a guarded package update made worse, from its result. */
export function worseIn({ result }: Pick<Job, 'result'>): readonly Worsening[] {
  const guard = result?.['guard'];
  const worse = typeof guard === 'object' && guard !== null && 'worse' in guard ? guard.worse : null;
  return Array.isArray(worse) ? worse.filter(isWorsening) : [];
}

const unsuitable = (message: string): InvalidInput => new InvalidInput([{ path: '/update_job_id', message }]);
