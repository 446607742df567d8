import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

interface SnapshotRowsProps {
  readonly snapshots: readonly Snapshot[];
  readonly now: Instant;
  /** May look into them. */
  readonly mayOpen: boolean;
}

/** Snapshots as a table, each with what can be done with it. */
export function SnapshotRows({ snapshots, now, mayOpen }: SnapshotRowsProps) {
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Snapshot</th>
            <th scope="col">Source</th>
            <th scope="col">Taken</th>
            <th scope="col" class="number">
              Files
            </th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col" class="number">
              New
            </th>
            <th scope="col">Verified</th>
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {snapshots.map((snapshot) => (
            <tr key={snapshot.id}>
              <td>{mayOpen ? <a href={`/snapshots/${snapshot.id}`}>{snapshot.id}</a> : snapshot.id}</td>
              <td>
                {snapshot.sourceName} <span class="tag">{snapshot.engine}</span>
              </td>
              <td>
                <Ago at={snapshot.startedAt} now={now} />
              </td>
              <td class="number">{snapshot.fileCount}</td>
              <td class="number">{size(snapshot.totalBytes)}</td>
              <td class="number">{size(snapshot.transferredBytes)}</td>
              <td>
                <Verified snapshot={snapshot} now={now} />
              </td>
              <td>
                {mayOpen ? (
                  <span class="row">
                    <a href={`/snapshots/${snapshot.id}`} aria-label={`Browse snapshot ${snapshot.id}`}>
                      Browse
                    </a>
                    <a
                      href={`/snapshots/${snapshot.id}/restore`}
                      aria-label={`Restore snapshot ${snapshot.id}`}
                    >
                      Restore
                    </a>
                    <form method="post" action={`/snapshots/${snapshot.id}/verify`}>
                      <button class="plain" type="submit" aria-label={`Verify snapshot ${snapshot.id} now`}>
                        Verify
                      </button>
                    </form>
                  </span>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** How giving it back was tried the last time. */
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
