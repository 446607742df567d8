import type { BrowseSnapshot } from '../../../../../application/backups/browse-snapshot.ts';
import type { RequestRestore } from '../../../../../application/backups/request-restore.ts';
import type { SnapshotFiles } from '../../../../../application/backups/snapshot-files.ts';
import { type Snapshot, snapshotNotFound } from '../../../../../domain/backups/snapshot.ts';
import { isDomainError } from '../../../../../domain/base/errors.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { JobAlreadyActive } from '../../../../../domain/jobs/job.ts';
import { below, Crumbs, withPlace } from '../../components/crumbs.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { type FormState, NEW_FORM } from '../../components/form.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { idOf, submit } from '../../form-state.ts';
import { fileReply, page, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { type BackupDeps, toJob } from './backups.tsx';
import { type KeepSnapshotDeps, keepSnapshotRoutes } from './keep-snapshot.tsx';
import { RestoreForm } from './restore-form.tsx';
import { type ComparisonDeps, comparePage } from './snapshot-comparison.tsx';
import { dumpRestorePage, type SnapshotDumpDeps, SnapshotDumps, startDumpDryRun } from './snapshot-dumps.tsx';
import { SnapshotEntries } from './snapshot-entries.tsx';
import { Verified } from './snapshot-rows.tsx';
import { MAX_BARS, SnapshotTimeline, shortTime } from './snapshot-timeline.tsx';
import { type ViewDeps, viewPage } from './snapshot-view.tsx';

export interface SnapshotDeps
  extends Pick<BackupDeps, 'triggerJob'>,
    SnapshotDumpDeps,
    KeepSnapshotDeps,
    ViewDeps,
    ComparisonDeps {
  readonly browseSnapshot: Pick<BrowseSnapshot, 'admit' | 'list' | 'download' | 'siblings'>;
  readonly snapshotFiles: Pick<SnapshotFiles, 'preview' | 'pack' | 'compare'>;
  readonly requestRestore: Pick<RequestRestore, 'execute'>;
}

const ROWS = 100;

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
      method: 'GET',
      path: '/snapshots/:id/restore',
      needs: 'operator',
      handle: (visit) => restorePage(deps, visit, visit.query.getAll('p'), NEW_FORM),
    },
    {
      method: 'POST',
      path: '/snapshots/:id/restore/choose',
      needs: 'operator',
      handle: (visit) => restorePage(deps, visit, selectedIn(visit), NEW_FORM),
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
    ...keepSnapshotRoutes(deps, ({ params }) => snapshotId(params['id'])),
    {
      method: 'POST',
      path: '/snapshots/:id/restore',
      needs: 'operator',
      handle: (visit) =>
        submit(
          visit.form,
          () => startRestore(deps, visit),
          (state) => restorePage(deps, visit, visit.form.getAll('path'), state, 422),
        ),
    },
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

/** The paths of the selected entries of a directory. */
const selectedIn = ({ form }: SignedInVisit): readonly string[] =>
  form.getAll('ids').map((name) => below(form.get('p') ?? '', name));

const admitted = ({ browseSnapshot }: SnapshotDeps, { visitor, params }: SignedInVisit): Promise<Snapshot> =>
  browseSnapshot.admit(visitor.actor, snapshotId(params['id']));

async function browsePage(deps: SnapshotDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, query, now, gone } = visit;
  const { actor } = visitor;
  const snapshot = await admitted(deps, visit);
  const p = query.get('p') ?? '';
  const own = `/snapshots/${snapshot.id}`;
  const siblings = await deps.browseSnapshot.siblings(actor, snapshot, MAX_BARS);
  const request = { p, q: query.get('q') ?? '', limit: ROWS, offset: offsetOf(query), signal: gone };
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
  const title = `${snapshot.sourceName}, ${shortTime(snapshot.startedAt)}`;
  return {
    ...page(
      'backups',
      title,
      <>
        <SnapshotTimeline snapshots={siblings} shown={snapshot} p={place} />
        <SnapshotDumps own={own} dumps={dumps} />
        <Crumbs root="/" path={own} names={names} keep={{ exact: 'yes' }} />
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
              search={{ name: 'q', label: 'Search this folder', placeholder: 'name in this folder' }}
            />
            <SnapshotEntries {...{ directory, own, now, query }} />
          </>
        )}
      </>,
      directory === null ? 404 : 200,
    ),
    header: {
      status: snapshot.pinnedAt === null ? null : <Status tone="good">pinned</Status>,
      sub: (
        <>
          <a href={`/servers/${snapshot.serverId}/backups`}>Backups of this server</a> · taken{' '}
          <Ago at={snapshot.startedAt} now={now} /> · {count(snapshot.fileCount, 'file')},{' '}
          {size(snapshot.totalBytes)} · verified: <Verified snapshot={snapshot} now={now} />
        </>
      ),
      actions: (
        <a class="button" href={withPlace(`${own}/restore`, place)}>
          {place === '' ? 'Restore all…' : 'Restore this folder…'}
        </a>
      ),
      more: <MoreActions snapshot={snapshot} place={place} isAlone={siblings.length < 2} />,
    },
  };
}

interface MoreProps {
  readonly snapshot: Snapshot;
  readonly place: string;
  /** There is no other snapshot to compare it with. */
  readonly isAlone: boolean;
}

function MoreActions({ snapshot, place, isAlone }: MoreProps) {
  const own = `/snapshots/${snapshot.id}`;
  const isPinned = snapshot.pinnedAt !== null;
  return (
    <>
      {isAlone ? null : <a href={withPlace(`${own}/compare`, place)}>Compare…</a>}
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

async function startRestore(deps: SnapshotDeps, { visitor, params, form }: SignedInVisit): Promise<WebReply> {
  try {
    const job = await deps.requestRestore.execute(visitor.actor, {
      snapshotId: snapshotId(params['id']),
      paths: form.getAll('path'),
      directory: form.get('where') === 'original' ? null : (form.get('directory') ?? '').trim(),
      overwrite: form.get('overwrite') === 'yes',
      confirmation: form.get('confirmation') ?? '',
    });
    return redirect(`/jobs/${job.id}`);
  } catch (error) {
    if (error instanceof JobAlreadyActive) return redirect(`/jobs/${error.job.id}`);
    throw error;
  }
}

async function restorePage(
  deps: SnapshotDeps,
  visit: SignedInVisit,
  paths: readonly string[],
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const snapshot = await admitted(deps, visit);
  const server = await deps.getServer.execute(visit.visitor.actor, snapshot.serverId);
  const { now } = visit;
  return page(
    'backups',
    `Restore ${snapshot.sourceName}`,
    <RestoreForm {...{ snapshot, server, paths: paths.filter(Boolean), state, now }} />,
    status,
  );
}
