import type { FileComparison } from '../../../../../application/backups/compare-with-server.ts';
import type { LiveState } from '../../../../../domain/backups/restore-plan.ts';
import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { Crumbs, withPlace } from '../../components/crumbs.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Diff } from '../../components/diff.tsx';
import { size } from '../../components/size.ts';
import { Status, type Tone } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { page, type SignedInVisit, type WebReply } from '../../route.ts';
import { type PlanDeps, PlanOfRestore } from './restore-plan.tsx';
import { SnapshotName, snapshotCrumb } from './snapshot-rows.tsx';

const TONES: Readonly<Record<LiveState, Tone>> = { same: 'good', differs: 'care', missing: 'bad' };

export const LiveStatus = ({ state }: { readonly state: LiveState }) => (
  <Status tone={TONES[state]}>{state}</Status>
);

/** A file or folder of a snapshot beside the server's. */
export async function liveComparisonPage(
  { compareWithServer }: PlanDeps,
  { visitor, query, now, gone }: SignedInVisit,
  snapshot: Snapshot,
): Promise<WebReply> {
  const p = query.get('p') ?? '';
  const own = `/snapshots/${snapshot.id}`;
  const found = await compareWithServer.look(visitor.actor, snapshot.id, p, gone);
  const name = p.split('/').at(-1) || '/';
  return {
    ...page(
      'backups',
      `${name} now`,
      <>
        <Crumbs root="/" path={own} names={p.split('/').slice(0, -1)} keep={{ exact: 'yes', now: 'yes' }} />
        {found.kind === 'dir' ? (
          <>
            <h2>What a restore would change</h2>
            <PlanOfRestore plan={found.plan} own={own} now={now} directory={null} />
            <p class="quiet">
              Files are compared by kind, size and time. Files that are not in the snapshot stay.
            </p>
          </>
        ) : (
          <FileBesideServer found={found} now={now} />
        )}
      </>,
    ),
    parents: [snapshotCrumb(snapshot)],
    header: {
      status: found.kind === 'file' ? <LiveStatus state={found.state} /> : null,
      sub: (
        <>
          <SnapshotName snapshot={snapshot} />, compared with the server
        </>
      ),
      actions: (
        <a class="button" href={withPlace(`${own}/restore`, p)}>
          Restore…
        </a>
      ),
    },
  };
}

function FileBesideServer({ found, now }: { readonly found: FileComparison; readonly now: Instant }) {
  const { kept, live, diff, state } = found;
  const rows = [
    { where: 'In the snapshot', facts: kept },
    { where: 'On the server', facts: live },
  ];
  return (
    <>
      <DataTable
        rows={rows}
        columns={[
          { head: 'File', kind: 'text', cell: ({ where }) => where },
          {
            head: 'Size',
            kind: 'number',
            cell: ({ facts }) =>
              facts === null ? 'missing' : facts.kind === 'file' ? size(facts.size) : facts.kind,
          },
          {
            head: 'Changed',
            kind: 'time',
            cell: ({ facts }) => (facts === null ? '' : <Ago at={facts.modifiedAt} now={now} />),
          },
        ]}
      />
      {diff === null ? (
        <p class="quiet">{WITHOUT_DIFF[state]}</p>
      ) : (
        <>
          <h2>What a restore would change</h2>
          <Diff diff={diff} label="What a restore would change" />
        </>
      )}
    </>
  );
}

const WITHOUT_DIFF: Readonly<Record<LiveState, string>> = {
  same: 'The server has the same file.',
  differs: 'No lines are shown: it is not text, or larger than 64 KiB.',
  missing: 'The server does not have this file. A restore creates it.',
};
