import type { SnapshotFiles } from '../../../../../application/backups/snapshot-files.ts';
import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import { Crumbs, withPlace } from '../../components/crumbs.tsx';
import { Empty } from '../../components/empty.tsx';
import { size } from '../../components/size.ts';
import { page, type SignedInVisit, type WebReply } from '../../route.ts';
import { SnapshotName, snapshotCrumb } from './snapshot-rows.tsx';

export interface ViewDeps {
  readonly snapshotFiles: Pick<SnapshotFiles, 'preview'>;
}

/** The first part of a text file. */
export async function viewPage(
  { snapshotFiles }: ViewDeps,
  { visitor, query, gone }: SignedInVisit,
  snapshot: Snapshot,
): Promise<WebReply> {
  const p = query.get('p') ?? '';
  const own = `/snapshots/${snapshot.id}`;
  const file = await snapshotFiles.preview(visitor.actor, snapshot.id, p, gone);
  return {
    ...page(
      'backups',
      file.name,
      <>
        <Crumbs root="/" path={own} names={p.split('/').slice(0, -1)} keep={{ exact: 'yes' }} />
        {file.text === null ? (
          <Empty icon="file-text">This is not a text file. Download or restore it.</Empty>
        ) : (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
            <pre class="log" tabIndex={0} aria-label={`Content of ${file.name}`}>
              {file.text}
            </pre>
            {file.isWhole ? null : (
              <p class="quiet">The first 64 KiB are shown. Download it to see the rest.</p>
            )}
          </>
        )}
      </>,
    ),
    parents: [snapshotCrumb(snapshot)],
    header: {
      sub: (
        <>
          {size(file.size)} in <SnapshotName snapshot={snapshot} />
        </>
      ),
      actions: (
        <>
          <a class="button quiet" href={withPlace(`${own}/download`, p)} download>
            Download
          </a>
          <a class="button" href={withPlace(`${own}/restore`, p)}>
            Restore…
          </a>
        </>
      ),
    },
  };
}
