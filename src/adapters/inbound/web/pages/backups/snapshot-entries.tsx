import {
  MAX_FOUND,
  type SnapshotDirectory,
  type SnapshotEntry,
  type SnapshotSearch,
} from '../../../../../application/backups/browse-snapshot.ts';
import type { EntryComparison } from '../../../../../application/backups/compare-with-server.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { grouped } from '../../../../../domain/base/spans.ts';
import { BulkBar } from '../../components/bulk-bar.tsx';
import { below, withPlace } from '../../components/crumbs.tsx';
import { Icon } from '../../components/icon.tsx';
import { Status } from '../../components/status.tsx';
import { EntryTable } from '../files/entry-table.tsx';
import { LiveStatus } from './live-comparison.tsx';

const BULK = 'bulk-files';

const RESTORE = ['Restore…', 'restore'] as const;
const COMPARE = ['Compare with server', 'now'] as const;
const FOLDER_ACTIONS = [RESTORE, COMPARE];
const FILE_ACTIONS = [RESTORE, ['Preview', 'view'], ['Download', 'download'], COMPARE] as const;

interface EntriesProps {
  readonly directory: SnapshotDirectory;
  readonly own: string;
  readonly now: Instant;
  readonly query: URLSearchParams;
  /** How each entry compares with the server, in their order; `null` if that is not asked. */
  readonly live: readonly (EntryComparison | null)[] | null;
}

/** A directory of a snapshot: each entry can be opened, shown, restored or downloaded, several at once, too. */
export function SnapshotEntries({ directory: { path, found }, own, now, query, live }: EntriesProps) {
  const p = String(path);
  const compared = new Map(live?.map((each, index) => [found.items[index], each] as const));
  const placeOf = (name: string): string => below(p, name);
  return (
    <>
      <EntryTable
        entries={found.items}
        now={now}
        empty="The folder is empty."
        paging={{ found, path: own, query }}
        select={BULK}
        extra={
          live === null
            ? undefined
            : {
                head: 'On the server',
                kind: 'state',
                cell: (entry) => {
                  const each = compared.get(entry) ?? null;
                  if (each === null) return '';
                  return (
                    <a href={withPlace(`${own}/now`, placeOf(entry.shown.text))}>
                      <Compared {...each} />
                    </a>
                  );
                },
              }
        }
        {...ways(own, placeOf, live === null ? {} : { now: 'yes' })}
      />
      <BulkBar id={BULK} method="post" action={`${own}/restore/choose`} noun="files" filter={{ p }}>
        <button type="submit">
          <Icon name="rotate-ccw" />
          Restore…
        </button>
        <button type="submit" formaction={`${own}/pack`}>
          <Icon name="download" />
          Download
        </button>
      </BulkBar>
    </>
  );
}

/** What can be done with an entry; `placeOf` is its path. */
const ways = (
  own: string,
  placeOf: (name: string) => string,
  keep: Readonly<Record<string, string>> = {},
) => ({
  hrefOf: ({ kind, denied, shown }: SnapshotEntry) =>
    kind === 'dir'
      ? withPlace(own, placeOf(shown.text), keep)
      : kind === 'file' && !denied
        ? withPlace(`${own}/view`, placeOf(shown.text))
        : null,
  buttons: 1,
  actions: ({ kind, denied, shown }: SnapshotEntry) =>
    (kind === 'file' && !denied ? FILE_ACTIONS : FOLDER_ACTIONS)
      .filter(() => !shown.escaped)
      .map(([label, action]) => ({ label, href: withPlace(`${own}/${action}`, placeOf(shown.text)) })),
});

interface FoundProps extends Pick<EntriesProps, 'own' | 'now'> {
  readonly found: SnapshotSearch;
}

/** What a search of the whole snapshot found, by path. */
export const FoundEntries = ({ found: { entries, looked, isWhole }, own, now }: FoundProps) => (
  <>
    <EntryTable
      entries={entries}
      now={now}
      empty="No name in the snapshot matches."
      {...ways(own, (path) => path)}
    />
    {isWhole ? null : (
      <p class="quiet">
        {entries.length < MAX_FOUND ? '' : `The first ${MAX_FOUND} matches. `}Searched {grouped(looked)}{' '}
        entries of the snapshot, and there are more.
      </p>
    )}
  </>
);

/** Of a folder, what a restore would change in it. */
function Compared({ state, plan }: EntryComparison) {
  if (plan === null || state !== 'same') return <LiveStatus state={state} />;
  const { replaced, created, isComplete } = plan;
  if (!isComplete) return <>Compare folder</>;
  const parts = [
    replaced.files === 0 ? null : `${grouped(replaced.files)} ${replaced.files === 1 ? 'differs' : 'differ'}`,
    created.files === 0 ? null : `${grouped(created.files)} missing`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? <LiveStatus state="same" /> : <Status tone="care">{parts.join(', ')}</Status>;
}
