import type { Approval } from '../../../../../domain/jobs/approval.ts';

const PATH = '/approvals';

/** What an approval started, or the request itself. */
export const followUpOf = ({ id, jobId, batchId }: Approval): { href: string; label: string } =>
  jobId !== null
    ? { href: `/jobs/${jobId}`, label: `job ${jobId}` }
    : batchId !== null
      ? { href: `/batches/${batchId}`, label: `batch ${batchId}` }
      : { href: `${PATH}/${id}`, label: `request ${id}` };

/** Why an approved change was not made, or may not have been; null: no fault. */
export const faultOf = ({ change }: Approval): string | null =>
  change?.outcome === 'failed' || change?.outcome === 'unknown' ? change.outcomeDetail : null;
