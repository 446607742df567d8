import type { ComponentChildren } from 'preact';
import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import { type Instant, toMinute } from '../../../../../domain/base/instant.ts';
import type { SnapshotOrder } from '../../../../../domain/base/list-orders.ts';
import { DataTable, RowButton, type TablePaging } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { RowActions } from '../../components/row-actions.tsx';
import { size } from '../../components/size.ts';
import type { Sorting } from '../../components/sorting.ts';
import { Status } from '../../components/status.tsx';
import { Ago, LocalTimes } from '../../components/time.tsx';
import { Way } from '../fleet/remedy.tsx';

/** Only of the sources that need more than SSH. */
export const EngineTag = ({ engine }: { readonly engine: string }) =>
  engine === 'restic' ? <span class="tag">{engine}</span> : null;

/** The one name of a snapshot. */
export const snapshotTitle = ({
  sourceName,
  startedAt,
}: Pick<Snapshot, 'sourceName' | 'startedAt'>): string => `${sourceName} · ${toMinute(startedAt)}`;

/** Its way back in a breadcrumb. */
export const snapshotCrumb = (snapshot: Pick<Snapshot, 'id' | 'sourceName' | 'startedAt'>) => ({
  href: `/snapshots/${snapshot.id}`,
  label: snapshotTitle(snapshot),
});

/** The same with the time in the reader's time zone. */
export const SnapshotName = ({
  snapshot,
}: {
  readonly snapshot: Pick<Snapshot, 'sourceName' | 'startedAt'>;
}) => <LocalTimes text={snapshotTitle(snapshot)} />;

interface SnapshotRowsProps {
  readonly snapshots: readonly Snapshot[];
  readonly now: Instant;
  /** May look into them. */
  readonly mayOpen?: boolean;
  /** Named by their source alone: the time is beside it. */
  readonly brief?: boolean;
  readonly paging?: TablePaging;
  readonly sorting?: Sorting<SnapshotOrder['by']>;
  /** The next step if there are none. */
  readonly first?: ComponentChildren;
}

/** Snapshots as a table, with actions. */
export const SnapshotRows = ({
  snapshots,
  now,
  mayOpen = false,
  brief = false,
  paging,
  sorting,
  first,
}: SnapshotRowsProps) => (
  <DataTable
    rows={snapshots}
    keyOf={({ id }) => id}
    empty={
      <Empty icon="history" action={first}>
        No snapshots yet.
      </Empty>
    }
    paging={paging}
    columns={[
      {
        head: 'Snapshot',
        sort: sorting?.sort('source'),
        cell: (snapshot) => {
          const name = brief ? snapshot.sourceName : <SnapshotName snapshot={snapshot} />;
          return (
            <>
              {mayOpen ? <a href={`/snapshots/${snapshot.id}`}>{name}</a> : name}{' '}
              <EngineTag engine={snapshot.engine} />
            </>
          );
        },
      },
      {
        head: 'Taken',
        kind: 'time',
        sort: sorting?.sort('taken'),
        cell: ({ startedAt }) => <Ago at={startedAt} now={now} />,
      },
      { head: 'Files', kind: 'number', sort: sorting?.sort('files'), cell: ({ fileCount }) => fileCount },
      {
        head: 'Size',
        kind: 'number',
        sort: sorting?.sort('size'),
        cell: ({ totalBytes }) => size(totalBytes),
      },
      {
        head: 'Transferred',
        kind: 'number',
        phone: 'hide',
        sort: sorting?.sort('transferred'),
        cell: ({ transferredBytes }) => size(transferredBytes),
      },
      {
        head: 'Verified',
        phone: 'hide',
        sort: sorting?.sort('verified'),
        cell: (snapshot) => <Verified snapshot={snapshot} now={now} />,
      },
      mayOpen && { head: 'Actions', kind: 'actions', cell: ({ id }) => <SnapshotActions id={id} /> },
    ]}
  />
);

const SnapshotActions = ({ id }: Pick<Snapshot, 'id'>) => (
  <RowActions about={`snapshot ${id}`} buttons={1}>
    <Way to={`/snapshots/${id}`} label="Browse" about={`snapshot ${id}`} desk />
    <Way to={`/snapshots/${id}/restore`} label="Restore" about={`snapshot ${id}`} />
    <RowButton action={`/snapshots/${id}/verify`} label="Verify" about={`snapshot ${id}`} />
  </RowActions>
);

/** The last verification. */
export function Verified({ snapshot, now }: { readonly snapshot: Snapshot; readonly now: Instant }) {
  const { check } = snapshot;
  if (check?.outcome === 'damaged') {
    return (
      <>
        <Status tone="bad">damaged</Status>{' '}
        <span class="help">
          <LocalTimes text={check.detail} />
        </span>
      </>
    );
  }
  if (snapshot.lastVerifiedAt === null) return <span class="quiet">not yet</span>;
  return (
    <>
      <Status tone="good">good</Status> <Ago at={snapshot.lastVerifiedAt} now={now} />
    </>
  );
}
