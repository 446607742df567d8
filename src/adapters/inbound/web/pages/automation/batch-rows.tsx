import {
  type Batch,
  type BatchStatus,
  type MemberStatus,
  totalOf,
} from '../../../../../domain/automation/batch.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { selectorText } from '../../../../../domain/fleet/host-selector.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

const OF_BATCH = {
  awaiting_approval: 'care',
  running: 'busy',
  success: 'good',
  failed: 'bad',
  stopped: 'bad',
  cancelled: 'off',
} as const satisfies Record<BatchStatus, string>;

export const BatchState = ({ status }: { readonly status: BatchStatus }) => (
  <Status tone={OF_BATCH[status]}>{status.replaceAll('_', ' ')}</Status>
);

const OF_MEMBER = {
  waiting: 'off',
  active: 'busy',
  success: 'good',
  failed: 'bad',
  cancelled: 'off',
  skipped: 'care',
  left_out: 'off',
} as const satisfies Record<MemberStatus, string>;

export const MemberState = ({ status }: { readonly status: MemberStatus }) => (
  <Status tone={OF_MEMBER[status]}>{status.replace('_', ' ')}</Status>
);

/** How far a batch has come: hosts that have nothing before them any more. */
export const doneOf = ({ counts }: Pick<Batch, 'counts'>): number =>
  totalOf(counts) - counts.waiting - counts.active;

/** Batches as a table: what, where, how far. */
export function BatchRows({ batches, now }: { readonly batches: readonly Batch[]; readonly now: Instant }) {
  if (batches.length === 0) {
    return <p>There are no batches yet. A batch starts one job on each of many servers, some at a time.</p>;
  }
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Batch</th>
            <th scope="col">Servers</th>
            <th scope="col">State</th>
            <th scope="col">How far</th>
            <th scope="col">Asked for</th>
          </tr>
        </thead>
        <tbody>
          {batches.map((batch) => (
            <tr key={batch.id}>
              <td>
                <a href={`/batches/${batch.id}`}>
                  {batch.id} {jobTitle(batch.jobType)}
                </a>{' '}
                {batch.params.dryRun ? <span class="tag">dry run</span> : null}
              </td>
              <td class="text">{selectorText(batch.selector)}</td>
              <td>
                <BatchState status={batch.status} />
              </td>
              <td>
                {doneOf(batch)} of {count(totalOf(batch.counts), 'server')}
                {batch.counts.failed > 0 ? `, ${batch.counts.failed} failed` : ''}
              </td>
              <td>
                <Ago at={batch.createdAt} now={now} /> <span class="quiet">by {batch.requester.label}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
