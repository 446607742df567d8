import type {
  BrowseSnapshot,
  SnapshotDirectory,
} from '../../../../../application/backups/browse-snapshot.ts';
import type { EntryComparison } from '../../../../../application/backups/compare-with-server.ts';
import type { SnapshotFiles } from '../../../../../application/backups/snapshot-files.ts';
import { type Snapshot, snapshotNotFound } from '../../../../../domain/backups/snapshot.ts';
import { isDomainError } from '../../../../../domain/base/errors.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { Crumbs, withPlace } from '../../components/crumbs.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { NEW_FORM } from '../../components/form.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { idOf, submit } from '../../form-state.ts';
import { fileReply, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { type BackupDeps, toJob } from './backups.tsx';
import { type KeepSnapshotDeps, keepSnapshotRoutes } from './keep-snapshot.tsx';
import { liveComparisonPage } from './live-comparison.tsx';
import { messageOf, type RestoreDeps, restoreRoutes } from './restore-pages.tsx';
import { type ComparisonDeps, comparePage } from './snapshot-comparison.tsx';
import { dumpRestorePage, type SnapshotDumpDeps, SnapshotDumps, startDumpDryRun } from './snapshot-dumps.tsx';
import { FoundEntries, SnapshotEntries } from './snapshot-entries.tsx';
import { snapshotTitle, Verified } from './snapshot-rows.tsx';
import { MAX_BARS, SnapshotTimeline } from './snapshot-timeline.tsx';
import { type ViewDeps, viewPage } from './snapshot-view.tsx';

export interface SnapshotDeps
  extends Pick<BackupDeps, 'triggerJob'>,
    SnapshotDumpDeps,
    KeepSnapshotDeps,
    ViewDeps,
    RestoreDeps,
    ComparisonDeps {
  readonly browseSnapshot: Pick<BrowseSnapshot, 'admit' | 'list' | 'search' | 'download' | 'siblings'>;
  readonly snapshotFiles: Pick<SnapshotFiles, 'preview' | 'pack' | 'compare' | 'diff'>;
}

const ROWS = 100;
const MAX_TEXT = 100;

/** Contents of a snapshot, and downloads. */
export function snapshotRoutes(deps: SnapshotDeps): readonly WebRoute[] {
  return [
    {
      method: 'GET',
      path: '/snapshots/:id',
      needs: 'operator',
      handle: (visit) => browsePage(deps, visit),
    },
    {
      method: 'GET',
      path: '/snapshots/:id/download',
      needs: 'operator',
      handle: async ({ visitor, params, query, gone }) =>
        fileReply(
          await deps.browseSnapshot.download(
            visitor.actor,
            snapshotId(params['id']),
            query.get('p') ?? '',
            gone,
          ),
        ),
    },
    {
      method: 'POST',
      path: '/snapshots/:id/verify',
      needs: 'operator',
      handle: async ({ visitor, params }) => {
        const { id, serverId } = await deps.browseSnapshot.admit(visitor.actor, snapshotId(params['id']));
        return toJob(deps, visitor.actor, { serverId, jobType: 'snapshot_verify', snapshotId: id });
      },
    },
    {
      method: 'POST',
      path: '/snapshots/:id/pack',
      needs: 'operator',
      handle: async ({ visitor, params, form, gone }) => {
        const packed = { p: form.get('p') ?? '', names: form.getAll('ids'), signal: gone };
        const file = await deps.snapshotFiles.pack(visitor.actor, snapshotId(params['id']), packed);
        return fileReply({ ...file, size: null, sha256: null });
      },
    },
    {
      method: 'GET',
      path: '/snapshots/:id/view',
      needs: 'operator',
      handle: async (visit) => viewPage(deps, visit, await admitted(deps, visit)),
    },
    {
      method: 'GET',
      path: '/snapshots/:id/compare',
      needs: 'operator',
      handle: async (visit) => comparePage(deps, visit, await admitted(deps, visit)),
    },
    {
      method: 'GET',
      path: '/snapshots/:id/now',
      needs: 'operator',
      handle: async (visit) => liveComparisonPage(deps, visit, await admitted(deps, visit)),
    },
    ...restoreRoutes(deps, (visit) => admitted(deps, visit)),
    ...keepSnapshotRoutes(deps, ({ params }) => snapshotId(params['id'])),
    {
      method: 'GET',
      path: '/snapshots/:id/dumps/:dump',
      needs: 'operator',
      handle: async (visit) => dumpRestorePage(deps, visit, await admitted(deps, visit), NEW_FORM),
    },
    {
      method: 'POST',
      path: '/snapshots/:id/dumps/:dump',
      needs: 'operator',
      handle: async (visit) => {
        const snapshot = await admitted(deps, visit);
        return submit(
          visit.form,
          () => startDumpDryRun(deps, visit, snapshot),
          (state) => dumpRestorePage(deps, visit, snapshot, state, 422),
        );
      },
    },
  ];
}

function snapshotId(raw: string | undefined): number {
  const id = idOf(raw);
  if (id === null) throw snapshotNotFound(Number.NaN);
  return id;
}

const admitted = ({ browseSnapshot }: SnapshotDeps, { visitor, params }: SignedInVisit): Promise<Snapshot> =>
  browseSnapshot.admit(visitor.actor, snapshotId(params['id']));

async function browsePage(deps: SnapshotDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, query, now, gone } = visit;
  const { actor } = visitor;
  const snapshot = await admitted(deps, visit);
  const p = query.get('p') ?? '';
  const own = `/snapshots/${snapshot.id}`;
  const siblings = await deps.browseSnapshot.siblings(actor, snapshot, MAX_BARS);
  const q = (query.get('q') ?? '').trim().slice(0, MAX_TEXT);
  const request = { p, limit: ROWS, offset: offsetOf(query), signal: gone };
  const directory = await deps.browseSnapshot
    .list(actor, snapshot.id, { ...request, fold: !query.has('exact') })
    .catch((error: unknown) => {
      if (isDomainError(error, 'file_not_found')) return null;
      throw error;
    });
  const names = directory?.path.names ?? p.split('/');
  const place = names.join('/');
  const dumps =
    directory?.path.isRoot === true ? await deps.listSnapshotDumps.execute(actor, snapshot.id, gone) : [];
  const isLive = query.has('now');
  const live = directory !== null && isLive && q === '' ? await liveStates(deps, visit, directory) : null;
  const server = await deps.getServer.execute(actor, snapshot.serverId);
  const title = snapshotTitle(snapshot);
  return {
    ...page(
      'backups',
      title,
      <>
        <SnapshotTimeline snapshots={siblings} shown={snapshot} p={place} />
        <SnapshotDumps own={own} dumps={dumps} />
        <Crumbs root="/" path={own} names={names} keep={{ exact: 'yes', ...(isLive ? LIVE : {}) }} />
        {typeof live === 'string' ? (
          <p class="notice care">The snapshot could not be compared with the server: {live}</p>
        ) : null}
        {directory === null ? (
          <p class="notice care">
            This snapshot has no such folder. <a href={own}>Show its top folder</a>
          </p>
        ) : (
          <>
            <FilterBar
              path={own}
              query={query}
              keep={['p', 'exact']}
              chips={{
                name: 'now',
                options: [
                  { value: '', label: 'Contents' },
                  { value: 'yes', label: 'Compared with the server' },
                ],
              }}
              search={{ name: 'q', label: 'Search the whole snapshot', placeholder: 'Name in the snapshot' }}
            />
            {q === '' ? (
              <SnapshotEntries
                {...{ directory, own, now, query }}
                live={typeof live === 'string' ? null : live}
              />
            ) : (
              <FoundEntries
                {...{ own, now }}
                found={await deps.browseSnapshot.search(actor, snapshot.id, q, gone)}
              />
            )}
          </>
        )}
      </>,
      directory === null ? 404 : 200,
    ),
    hasParts: true,
    parents: [{ href: `/servers/${snapshot.serverId}/backups`, label: server.name }],
    header: {
      status: snapshot.pinnedAt === null ? null : <Status tone="good">pinned</Status>,
      sub: (
        <>
          <a href={`/servers/${snapshot.serverId}/backups`}>Backups of {server.name}</a> · taken{' '}
          <Ago at={snapshot.startedAt} now={now} /> · {count(snapshot.fileCount, 'file')},{' '}
          {size(snapshot.totalBytes)} · verified: <Verified snapshot={snapshot} now={now} />
        </>
      ),
      actions: (
        <>
          {siblings.length < 2 ? null : (
            <a class="button quiet" href={withPlace(`${own}/compare`, place)}>
              Compare snapshots
            </a>
          )}
          <a class="button" href={withPlace(`${own}/restore`, place)}>
            {place === '' ? 'Restore all…' : 'Restore this folder…'}
          </a>
        </>
      ),
      more: <MoreActions snapshot={snapshot} />,
    },
  };
}

/** The address of a directory that is compared with the server. */
const LIVE = { now: 'yes' } as const;

/** Or why the server cannot be asked. */
const liveStates = (
  { compareWithServer }: SnapshotDeps,
  { visitor, gone }: SignedInVisit,
  directory: SnapshotDirectory,
): Promise<readonly (EntryComparison | null)[] | string> =>
  compareWithServer.entries(visitor.actor, directory, gone).catch(messageOf);

function MoreActions({ snapshot }: { readonly snapshot: Snapshot }) {
  const own = `/snapshots/${snapshot.id}`;
  const isPinned = snapshot.pinnedAt !== null;
  return (
    <>
      <form method="post" action={`${own}/verify`}>
        <button type="submit">Verify</button>
      </form>
      <form method="post" action={`${own}/${isPinned ? 'unpin' : 'pin'}`}>
        <button type="submit">{isPinned ? 'Unpin' : 'Pin'}</button>
      </form>
      <a href={`${own}/delete`}>Delete…</a>
    </>
  );
}
