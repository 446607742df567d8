import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

/** Only of the sources that need more than SSH. */
export const EngineTag = ({ engine }: { readonly engine: string }) =>
  engine === 'restic' ? <span class="tag">{engine}</span> : null;

interface SnapshotRowsProps {
  readonly snapshots: readonly Snapshot[];
  readonly now: Instant;
  /** May look into them. */
  readonly mayOpen?: boolean;
  readonly paging?: TablePaging;
}

/** Snapshots as a table, with actions. */
export const SnapshotRows = ({ snapshots, now, mayOpen = false, paging }: SnapshotRowsProps) => (
  <DataTable
    rows={snapshots}
    keyOf={({ id }) => id}
    empty="There are no snapshots yet."
    paging={paging}
    columns={[
      { head: 'Snapshot', cell: ({ id }) => (mayOpen ? <a href={`/snapshots/${id}`}>{id}</a> : id) },
      {
        head: 'Source',
        cell: ({ sourceName, engine }) => (
          <>
            {sourceName} <EngineTag engine={engine} />
          </>
        ),
      },
      { head: 'Taken', cell: ({ startedAt }) => <Ago at={startedAt} now={now} /> },
      { head: 'Files', kind: 'number', cell: ({ fileCount }) => fileCount },
      { head: 'Size', kind: 'number', cell: ({ totalBytes }) => size(totalBytes) },
      { head: 'Transferred', kind: 'number', cell: ({ transferredBytes }) => size(transferredBytes) },
      { head: 'Verified', phone: 'label', cell: (snapshot) => <Verified snapshot={snapshot} now={now} /> },
      mayOpen && { head: 'Actions', kind: 'actions', cell: ({ id }) => <SnapshotActions id={id} /> },
    ]}
  />
);

const SnapshotActions = ({ id }: Pick<Snapshot, 'id'>) => (
  <span class="row">
    <a href={`/snapshots/${id}`} aria-label={`Browse snapshot ${id}`}>
      Browse
    </a>
    <a href={`/snapshots/${id}/restore`} aria-label={`Restore snapshot ${id}`}>
      Restore
    </a>
    <form method="post" action={`/snapshots/${id}/verify`}>
      <button class="plain" type="submit" aria-label={`Verify snapshot ${id} now`}>
        Verify
      </button>
    </form>
  </span>
);

/** The last verification. */
export function Verified({ snapshot, now }: { readonly snapshot: Snapshot; readonly now: Instant }) {
  const { check } = snapshot;
  if (check?.outcome === 'damaged') {
    return (
      <>
        <Status tone="bad">damaged</Status> <span class="help">{check.detail}</span>
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
