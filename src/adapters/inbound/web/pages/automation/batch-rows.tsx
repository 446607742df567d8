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
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { By } from '../../components/origin.tsx';
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

/** A batch's progress: hosts that are done. */
export const doneOf = ({ counts }: Pick<Batch, 'counts'>): number =>
  totalOf(counts) - counts.waiting - counts.active;

interface BatchRowsProps {
  readonly batches: readonly Batch[];
  /** Of the servers that they select. */
  readonly names: ReadonlyMap<number, string>;
  readonly now: Instant;
  readonly paging: TablePaging;
}

/** Batches as a table. */
export const BatchRows = ({ batches, names, now, paging }: BatchRowsProps) => (
  <DataTable
    rows={batches}
    keyOf={({ id }) => id}
    paging={paging}
    empty="No batches yet. A batch runs one job on each of many servers, a few at a time."
    columns={[
      {
        head: 'Batch',
        cell: ({ id, jobType, params }) => (
          <>
            <a href={`/batches/${id}`}>{jobTitle(jobType)}</a> <span class="quiet">#{id}</span>{' '}
            {params.dryRun ? <span class="tag">dry run</span> : null}
          </>
        ),
      },
      { head: 'Servers', kind: 'rest', cell: ({ selector }) => selectorText(selector, names) },
      { head: 'State', kind: 'state', cell: ({ status }) => <BatchState status={status} /> },
      {
        head: 'Progress',
        cell: (batch) =>
          `${doneOf(batch)} of ${count(totalOf(batch.counts), 'server')}${batch.counts.failed > 0 ? `, ${batch.counts.failed} failed` : ''}`,
      },
      { head: 'Started', kind: 'time', cell: ({ createdAt }) => <Ago at={createdAt} now={now} /> },
      { head: 'By', cell: ({ requester }) => <By label={requester.label} /> },
    ]}
  />
);
