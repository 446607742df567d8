import type { BrowseSnapshot } from '../../../../../application/backups/browse-snapshot.ts';
import {
  type DeepDifference,
  type DirectoryComparison,
  type EntryDifference,
  MAX_PREVIEW_BYTES,
  type SnapshotFiles,
} from '../../../../../application/backups/snapshot-files.ts';
import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { below, Crumbs } from '../../components/crumbs.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Diff } from '../../components/diff.tsx';
import { Empty } from '../../components/empty.tsx';
import { size } from '../../components/size.ts';
import { Status, type Tone } from '../../components/status.tsx';
import { Ago, timeText } from '../../components/time.tsx';
import { idOf } from '../../form-state.ts';
import { page, type SignedInVisit, type WebReply } from '../../route.ts';
import { SnapshotName, snapshotCrumb } from './snapshot-rows.tsx';
import { MAX_BARS } from './snapshot-timeline.tsx';

export interface ComparisonDeps {
  readonly browseSnapshot: Pick<BrowseSnapshot, 'siblings'>;
  readonly snapshotFiles: Pick<SnapshotFiles, 'compare' | 'diff'>;
}

/** The snapshot beside one before it, or another one of its source. */
export async function comparePage(
  deps: ComparisonDeps,
  { visitor, query, now, gone }: SignedInVisit,
  shown: Snapshot,
): Promise<WebReply> {
  const { actor } = visitor;
  const siblings = await deps.browseSnapshot.siblings(actor, shown, MAX_BARS);
  const others = siblings.filter(({ id }) => id !== shown.id).toReversed();
  const asked = idOf(query.get('with') ?? undefined);
  const before = others.find(({ startedAt }) => startedAt <= shown.startedAt);
  const other = others.find(({ id }) => id === asked) ?? before ?? others[0] ?? null;
  const [older, newer] =
    other !== null && other.startedAt <= shown.startedAt ? [other, shown] : [shown, other];
  const file = query.get('file');
  const both = newer && { older: older.id, newer: newer.id, signal: gone };
  const p = query.get('p') ?? '';
  const comparison = both && file === null ? await deps.snapshotFiles.compare(actor, { ...both, p }) : null;
  const diff = both && file !== null ? await deps.snapshotFiles.diff(actor, { ...both, p: file }) : null;
  return {
    ...page(
      'backups',
      file === null ? 'Compare snapshots' : (file.split('/').at(-1) ?? file),
      file === null || other === null ? (
        <SnapshotComparison {...{ shown, others, other, comparison, now }} />
      ) : (
        <FileChange own={`/snapshots/${shown.id}/compare`} other={other} file={file} diff={diff} />
      ),
    ),
    parents: [snapshotCrumb(shown)],
    header: {
      sub: (
        <>
          <a href={`/snapshots/${shown.id}`}>
            <SnapshotName snapshot={shown} />
          </a>
          {file === null || other === null ? null : (
            <>
              , compared with <SnapshotName snapshot={other} />
            </>
          )}
        </>
      ),
    },
  };
}

/** The lines of a file that changed. */
function FileChange({
  own,
  other,
  file,
  diff,
}: {
  readonly own: string;
  readonly other: Snapshot;
  readonly file: string;
  readonly diff: string | null;
}) {
  return (
    <>
      <Crumbs root="/" path={own} names={file.split('/').slice(0, -1)} keep={{ with: String(other.id) }} />
      {diff === null ? (
        <p class="quiet">No lines are shown: it is not text, is larger than 64 KiB, or may hold secrets.</p>
      ) : diff === '' ? (
        <p class="quiet">Both snapshots have the same contents.</p>
      ) : (
        <Diff diff={diff} label="What changed" />
      )}
    </>
  );
}

const TONE: Readonly<Record<EntryDifference['change'], Tone>> = {
  added: 'good',
  removed: 'bad',
  changed: 'edit',
};
/** Rows of a longer list are counted. */
const MAX_ROWS = 500;

interface ComparisonProps {
  readonly shown: Snapshot;
  /** Of the same source. */
  readonly others: readonly Snapshot[];
  readonly other: Snapshot | null;
  readonly comparison: DirectoryComparison | null;
  readonly now: Instant;
}

/** What differs in one directory between two snapshots. */
function SnapshotComparison({ shown, others, other, comparison, now }: ComparisonProps) {
  if (others.length === 0) return <Empty icon="history">This source has no other snapshot.</Empty>;
  const own = `/snapshots/${shown.id}/compare`;
  const p = String(comparison?.path ?? '');
  const here = comparison?.differences.map((each) => ({ ...each, place: each.entry.shown.text }));
  const rows = [...(here ?? []), ...(comparison?.below ?? [])];
  const query = (place: string): string =>
    `${own}?${new URLSearchParams({ with: String(other?.id ?? ''), p: place })}`;
  const ofFile = (place: string): string =>
    `${own}?${new URLSearchParams({ with: String(other?.id ?? ''), file: place })}`;
  return (
    <>
      <form method="get" action={own} class="filter-bar">
        <input type="hidden" name="p" value={p} />
        <label for="with">Compare with</label>
        <select id="with" name="with">
          {others.map(({ id, startedAt, totalBytes }) => (
            <option key={id} value={id} selected={id === other?.id} data-times>
              {`${timeText(startedAt)}, ${size(totalBytes)}`}
            </option>
          ))}
        </select>
        <button type="submit">Compare</button>
      </form>
      {comparison === null || other === null ? null : (
        <>
          <Crumbs root="/" path={own} names={comparison.path.names} keep={{ with: String(other.id) }} />
          <p class="quiet">
            {numberOf(comparison.differences)} in this folder, {numberOf(comparison.below).toLowerCase()} in
            folders below{comparison.isWhole ? '' : ', as far as they were compared'};{' '}
            {count(comparison.same, 'unchanged entry', 'unchanged entries')} here. Files are compared by kind,
            size and time.
          </p>
          {rows.length === 0 ? null : (
            <DataTable
              rows={rows}
              max={MAX_ROWS}
              keyOf={({ place, change }) => `${change} ${place}`}
              columns={[
                {
                  head: 'Name',
                  kind: 'text',
                  cell: (each) => (
                    <span class="mono">
                      {mayHaveLines(each) ? (
                        <a href={ofFile(below(p, each.place))} title="Show what changed in it">
                          {each.place}
                        </a>
                      ) : (
                        each.place
                      )}
                    </span>
                  ),
                },
                {
                  head: 'Change',
                  kind: 'state',
                  cell: ({ change }) => <Status tone={TONE[change]}>{change}</Status>,
                },
                {
                  head: 'Lines',
                  kind: 'text',
                  cell: (each) =>
                    mayHaveLines(each) && each.change === 'changed' ? (
                      <a href={ofFile(below(p, each.place))}>
                        Show diff<span class="hidden"> of {each.place}</span>
                      </a>
                    ) : null,
                },
                { head: 'Size before', kind: 'number', cell: (each) => sizeOf(each.before) },
                {
                  head: 'Size after',
                  kind: 'number',
                  cell: (each) => sizeOf(each.change === 'removed' ? null : each.entry),
                },
                {
                  head: 'Changed',
                  phone: 'label',
                  cell: ({ entry }) => <Ago at={entry.modifiedAt} now={now} />,
                },
              ]}
            />
          )}
          {comparison.shared.length === 0 ? null : (
            <>
              <h2>Folders in both</h2>
              <ul class="folders">
                {comparison.shared.slice(0, MAX_ROWS).map(({ shown: { text, escaped } }) => (
                  <li key={text} class="mono">
                    {escaped ? text : <a href={query(below(p, text))}>{text}/</a>}{' '}
                    <Changes within={comparison} folder={text} />
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      )}
    </>
  );
}

/** How many changes a folder has in it. */
function Changes({ within, folder }: { readonly within: DirectoryComparison; readonly folder: string }) {
  const changes = within.below.filter(({ place }) => place.startsWith(`${folder}/`)).length;
  return changes === 0 ? null : <span class="count">{count(changes, 'change')}</span>;
}

const numberOf = (differences: readonly EntryDifference[]): string =>
  differences.length === 0 ? 'No differences' : count(differences.length, 'difference');

/** It may be text, is small enough, and may be shown. */
const mayHaveLines = ({ entry, before }: DeepDifference): boolean =>
  !entry.shown.escaped &&
  !entry.denied &&
  [entry, before].every((each) => each === null || (each.kind === 'file' && each.size <= MAX_PREVIEW_BYTES));

const sizeOf = (entry: EntryDifference['before']): string => (entry?.kind === 'file' ? size(entry.size) : '');
