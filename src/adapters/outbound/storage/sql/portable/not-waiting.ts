import type { Instant } from '../../../../../domain/base/instant.ts';

const DETAIL = 'The service was restored from a backup that was made while the job waited or ran.';

/**
 * A row of a backup so that nothing begins by itself which may have been done since: jobs that wait or run are over, and
 * batches are asked to stop.
 */
export function asNotWaiting(
  table: string,
  row: Record<string, unknown>,
  at: Instant,
): Record<string, unknown> {
  if (table === 'jobs') return endedJob(row, at);
  if (table === 'batches' && row['finished_at'] === null)
    return { ...row, cancel_requested_at: row['cancel_requested_at'] ?? at };
  return row;
}

function endedJob(row: Record<string, unknown>, at: Instant): Record<string, unknown> {
  const over = { lane_key: null, owner: null, lease_until: null, finished_at: at, summary: DETAIL };
  switch (row['status']) {
    case 'running':
      return { ...row, ...over, status: 'failed', error_code: 'worker_lost', error_detail: DETAIL };
    case 'pending':
    case 'awaiting_approval':
      return { ...row, ...over, status: 'cancelled' };
    default:
      return row;
  }
}
