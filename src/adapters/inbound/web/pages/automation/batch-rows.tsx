import {
  type Batch,
  type BatchStatus,
  type MemberCounts,
  type MemberStatus,
  memberWord,
  totalOf,
} from '../../../../../domain/automation/batch.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { type HostSelector, selectorText } from '../../../../../domain/fleet/host-selector.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { By } from '../../components/origin.tsx';
import { ShareBar } from '../../components/share-bar.tsx';
import { Status, type Tone, toneOfMany } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

const OF_BATCH: Readonly<Record<BatchStatus, readonly [Tone, string]>> = {
  awaiting_approval: ['care', 'awaiting approval'],
  running: ['busy', 'running'],
  success: ['good', 'succeeded'],
  failed: ['bad', 'failed'],
  stopped: ['bad', 'stopped'],
  cancelled: ['off', 'cancelled'],
};

export const batchWord = (status: BatchStatus): string => OF_BATCH[status][1];

/** The state of a batch that ended with failures: `1 of 42 failed`. */
export function partlyFailed(counts: MemberCounts): readonly [Tone, string] {
  const total = totalOf(counts);
  return counts.failed === 0 || counts.failed >= total
    ? ['bad', 'failed']
    : [toneOfMany(counts.failed, total), `${counts.failed} of ${total} failed`];
}

export function BatchState({
  batch: { status, counts },
}: {
  readonly batch: Pick<Batch, 'status' | 'counts'>;
}) {
  const [tone, word] = status === 'failed' ? partlyFailed(counts) : OF_BATCH[status];
  return <Status tone={tone}>{word}</Status>;
}

const OF_MEMBER = {
  waiting: 'wait',
  active: 'busy',
  success: 'good',
  failed: 'bad',
  cancelled: 'off',
  skipped: 'care',
  left_out: 'off',
} as const satisfies Record<MemberStatus, string>;

export const memberTone = (status: MemberStatus): Tone => OF_MEMBER[status];

/** As the states of batches and jobs. */
export const memberText = (status: MemberStatus): string =>
  status === 'success' ? batchWord(status) : memberWord(status);

export const MemberState = ({ status }: { readonly status: MemberStatus }) => (
  <Status tone={OF_MEMBER[status]}>{memberText(status)}</Status>
);

/** The servers of a batch by their state: only those that are done have a colour. */
export const Shares = ({ counts }: Pick<Batch, 'counts'>) => (
  <ShareBar
    of="server"
    shares={IN_BAR.map((status) => ({
      tone: status === 'active' ? 'off' : memberTone(status),
      label: memberText(status),
      amount: counts[status],
    }))}
  />
);

/** From the left: what is done, then what is not. */
const IN_BAR = ['success', 'failed', 'skipped', 'cancelled', 'left_out', 'active', 'waiting'] as const;

/** A batch's progress, such as `6 of 14 servers, 1 failed, 8 not started`. */
export function progressText({ counts }: Pick<Batch, 'counts'>, isShort = false): string {
  const total = totalOf(counts);
  const done = total - counts.waiting - counts.active - counts.left_out;
  const rest = UNUSUAL.filter((status) => counts[status] > 0).map(
    (status) => `${counts[status]} ${memberWord(status)}`,
  );
  return [`${done} of ${isShort ? total : count(total, 'server')}`, ...rest].join(', ');
}

const UNUSUAL = ['failed', 'skipped', 'cancelled', 'left_out'] as const;

/** More servers are counted, with their names in the tooltip. */
const MAX_NAMED = 3;

/** What a batch or schedule is about. */
export function Selected({
  selector,
  names,
}: {
  readonly selector: HostSelector;
  /** Of the servers that it selects. */
  readonly names: ReadonlyMap<number, string>;
}) {
  const words = selectorText(selector, names);
  return selector.by === 'ids' && selector.ids.length > MAX_NAMED ? (
    <span title={words}>{count(selector.ids.length, 'server')}</span>
  ) : (
    <span title={words}>{words}</span>
  );
}

interface BatchRowsProps {
  readonly batches: readonly Batch[];
  /** Of the servers that they select. */
  readonly names: ReadonlyMap<number, string>;
  readonly now: Instant;
  readonly paging: TablePaging;
  /** Only those of a state. */
  readonly isFiltered: boolean;
}

/** Batches as a table. */
export const BatchRows = ({ batches, names, now, paging, isFiltered }: BatchRowsProps) => (
  <DataTable
    rows={batches}
    keyOf={({ id }) => id}
    paging={paging}
    empty={
      isFiltered ? (
        'No batch has this state.'
      ) : (
        <Empty icon="list-checks" title="No batches yet">
          A batch runs one job on each of many servers, a few at a time, and stops when too many fail.
        </Empty>
      )
    }
    columns={[
      {
        head: 'Batch',
        cell: ({ id, jobType, params }) => (
          <>
            <a href={`/batches/${id}`}>{jobTitle(jobType)}</a>{' '}
            <span class="quiet">
              #{id} {params.dryRun ? <span class="tag">dry run</span> : null}
            </span>
          </>
        ),
      },
      {
        head: 'Servers',
        kind: 'rest',
        cell: ({ selector }) => <Selected selector={selector} names={names} />,
      },
      { head: 'State', kind: 'state', cell: (batch) => <BatchState batch={batch} /> },
      { head: 'Started', kind: 'time', cell: ({ createdAt }) => <Ago at={createdAt} now={now} /> },
      {
        head: 'Progress',
        phone: 'line',
        cell: (batch) => (
          <>
            <Shares counts={batch.counts} />
            <span class="under">{progressText(batch, true)}</span>
          </>
        ),
      },
      { head: 'By', phone: 'hide', cell: ({ requester }) => <By label={requester.label} /> },
    ]}
  />
);
