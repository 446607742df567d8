import type { SnapshotDirectory } from '../../../../../application/backups/browse-snapshot.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { BulkBar } from '../../components/bulk-bar.tsx';
import { below, withPlace } from '../../components/crumbs.tsx';
import { Icon } from '../../components/icon.tsx';
import { EntryTable } from '../files/entry-table.tsx';

const BULK = 'bulk-files';

interface EntriesProps {
  readonly directory: SnapshotDirectory;
  readonly own: string;
  readonly now: Instant;
  readonly query: URLSearchParams;
}

/** A directory of a snapshot: each entry can be opened, shown, restored or downloaded, several at once, too. */
export function SnapshotEntries({ directory: { path, found }, own, now, query }: EntriesProps) {
  const p = String(path);
  const placeOf = (name: string): string => below(p, name);
  return (
    <>
      <EntryTable
        entries={found.items}
        now={now}
        empty={query.get('q') ? 'Nothing here has such a name.' : 'The folder is empty.'}
        paging={{ found, path: own, query }}
        select={BULK}
        hrefOf={({ kind, denied, shown }) =>
          kind === 'dir'
            ? withPlace(own, placeOf(shown.text))
            : kind === 'file' && !denied
              ? withPlace(`${own}/view`, placeOf(shown.text))
              : null
        }
        actions={({ kind, denied, shown }) =>
          (kind === 'file' && !denied ? ['Download', 'Restore'] : ['Restore'])
            .filter(() => !shown.escaped)
            .map((label) => ({
              label,
              href: withPlace(`${own}/${label.toLowerCase()}`, placeOf(shown.text)),
            }))
        }
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
