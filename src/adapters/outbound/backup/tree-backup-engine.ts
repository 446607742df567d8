import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type {
  BackupEngine,
  BackupPlan,
  BackupRequest,
  PlanRequest,
  RestoreRequest,
  SnapshotPlace,
  TransferWatch,
  VerifyRequest,
} from '../../../application/ports/backups/backup-engine.ts';
import type { BrowseRequest, SnapshotBrowser } from '../../../application/ports/backups/snapshot-browser.ts';
import type { BackupSource } from '../../../domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../../domain/backups/snapshot.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { PageRequest } from '../../../domain/base/page.ts';
import { JailPath } from '../../../domain/files/jail-path.ts';
import { whenAborted } from '../hosts/shell/when-aborted.ts';
import { BackupRun } from './backup-run.ts';
import { listTree, readFromTree } from './browse-tree.ts';
import { bytesOfText } from './byte-string.ts';
import { compareWithFormer } from './comparison.ts';
import { hashFile } from './file-hash.ts';
import { lookAt, pathBelow } from './file-tree.ts';
import { type FormerSnapshot, isManifestRecorded } from './former-snapshot.ts';
import { surveyHost } from './host-survey.ts';
import { manifestContents } from './manifest-contents.ts';
import { readManifest } from './manifest-file.ts';
import { orderFor } from './pull-order.ts';
import { emptyDirectory, removeTree } from './received-files.ts';
import { allPublishedIn, publishedIn } from './snapshot-facts.ts';
import { SourceLock } from './source-lock.ts';
import { startSurvey } from './source-survey.ts';
import { isErrno, makeDirectory } from './store-directory.ts';
import { storeIdentity } from './store-identity.ts';
import { placesOf, publishedPlaces, type SnapshotPlaces, snapshotPlaces } from './store-layout.ts';
import { asStoreError, type Reserve, watchSpace } from './store-space.ts';
import { moveToTrash } from './trash.ts';
import { rehearseTree } from './tree-rehearsal.ts';
import { TreeRestore } from './tree-restore.ts';

/** A service that was killed leaves a tar that ends as soon as it notices. */
const PATIENCE_MS = 20_000;

/** Snapshots as plain trees below `root`, unchanged files hard-linked from one to the next, fetched as an archive. */
export class TreeBackupEngine implements BackupEngine {
  readonly name = 'rsync' as const;
  readonly #root: string;
  readonly #now: () => Instant;
  readonly #reserve: Reserve | undefined;
  readonly #patienceMs: number;

  /**
   * `root`: a separate directory, created if missing. `reserve`: free space to leave on its file system.
   * `patienceMs`: how long a backup waits for another of the same source.
   */
  constructor(options: {
    readonly root: string;
    readonly now?: () => Instant;
    readonly reserve?: Reserve;
    readonly patienceMs?: number;
  }) {
    this.#root = resolve(options.root);
    this.#now = options.now ?? Date.now;
    this.#reserve = options.reserve;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
  }

  async backup(request: BackupRequest, watch: TransferWatch): Promise<NewSnapshot> {
    watch.signal.throwIfAborted();
    const places = this.#placesOf(request.source);
    await makeDirectory(places.snapshots);
    const store = { ...(await storeIdentity(this.#root)), root: this.#root };
    // the host answers while the lock is taken
    const survey = startSurvey(request, store, watch.signal, 'tar');
    const lock = await this.#lock(places.lock, watch.signal);
    const ending = new AbortController();
    let space: { readonly stop: () => void } | null = null;
    const { signal } = ending;
    const forget = whenAborted(watch.signal, () => ending.abort(watch.signal.reason));
    try {
      await emptyDirectory(places.trash, signal);
      const settings = {
        store,
        survey,
        places,
        latest: await this.#latest(request.source, request.distrusted),
        lockFd: lock.fd,
        now: this.#now,
        // not before: leftovers of an interrupted run may fill the store, and are dropped first
        onTransfer: () => {
          space ??= watchSpace(this.#root, ending, this.#reserve);
        },
        ...(this.#reserve ? { reserve: this.#reserve } : {}),
      };
      if (process.geteuid?.() !== 0) {
        watch.log('The service does not run as root: owners and device files are not kept.');
      }
      return await new BackupRun(request, settings, { ...boundTo(watch), signal }).execute();
    } catch (error) {
      throw asStoreError(error);
    } finally {
      forget();
      (space as { readonly stop: () => void } | null)?.stop();
      await lock.release();
    }
  }

  async plan(request: PlanRequest, watch: TransferWatch): Promise<BackupPlan> {
    await makeDirectory(this.#root);
    const store = { ...(await storeIdentity(this.#root)), root: this.#root };
    const latest = await this.#latest(request.source);
    const survey = await startSurvey(request, store, watch.signal, 'tar');
    const order = await orderFor(request, survey, store, latest, watch);
    const { host, roots, excludes, attributes } = order;
    const listing = surveyHost(host, roots, excludes, watch.signal);
    const { planned } = await compareWithFormer(host, listing, latest, { attributes, signal: watch.signal });
    const files = planned.filter(({ entry }) => entry.type !== 'directory');
    const toCome = planned.filter(({ action }) => action === 'fetch');
    const bytesOf = (some: typeof planned): number => some.reduce((sum, { entry }) => sum + entry.size, 0);
    return {
      files: files.length,
      totalBytes: bytesOf(files),
      transferFiles: toCome.length,
      transferBytes: bytesOf(toCome),
    };
  }

  async readDump({
    snapshot,
    path,
    signal,
  }: Parameters<BackupEngine['readDump']>[0]): ReturnType<BackupEngine['readDump']> {
    const places = publishedPlaces(this.#root, snapshot);
    await assertAsTaken(places, snapshot.manifestSha256, path, signal);
    return readFromTree(places, { path: JailPath.parse(path, '/path'), signal });
  }

  published(source: BackupSource): Promise<readonly NewSnapshot[]> {
    return allPublishedIn(this.#placesOf(source).snapshots, source);
  }

  async remove(snapshot: SnapshotPlace): Promise<void> {
    const doomed = await moveToTrash(this.#root, snapshot);
    if (doomed !== null) await removeTree(doomed);
  }

  /** A removal frees its space immediately. */
  async reclaim({ serverId, id }: Pick<BackupSource, 'id' | 'serverId'>): Promise<void> {
    await emptyDirectory(placesOf(this.#root, { serverId, sourceId: id }).trash);
  }

  async sweep(knownSources: readonly Pick<BackupSource, 'id' | 'serverId'>[]): Promise<void> {
    const known = new Set(
      knownSources.map(({ serverId, id }) => placesOf(this.#root, { serverId, sourceId: id }).directory),
    );
    for (const serverId of await idsIn(this.#root)) {
      for (const sourceId of await idsIn(join(this.#root, String(serverId)))) {
        const places = placesOf(this.#root, { serverId, sourceId });
        const lock = await SourceLock.acquire(places.lock, 0);
        if (!lock) continue;
        try {
          await emptyDirectory(places.trash);
          if (known.has(places.directory)) continue;
          await removeTree(places.partial);
          await removeTree(places.received);
          if ((await namesIn(places.snapshots)).length === 0) await removeTree(places.directory);
        } finally {
          await lock.release();
        }
      }
    }
  }

  verify(
    request: VerifyRequest,
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly bytes: number }> {
    const places = publishedPlaces(this.#root, request.snapshot);
    return rehearseTree(request, places, join(this.#root, 'scratch'), watch);
  }

  contents: BackupEngine['contents'] = (request, signal) => {
    const places = publishedPlaces(this.#root, request.snapshot);
    return manifestContents(places, { ...request, withoutDumps: request.directory === '/' }, signal);
  };

  restore(
    request: RestoreRequest,
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly bytes: number }> {
    return new TreeRestore(request, publishedPlaces(this.#root, request.snapshot), watch).execute();
  }

  async list(request: BrowseRequest, window: PageRequest): ReturnType<SnapshotBrowser['list']> {
    return listTree(publishedPlaces(this.#root, request.snapshot), request, window);
  }

  async read(request: BrowseRequest): ReturnType<SnapshotBrowser['read']> {
    return readFromTree(publishedPlaces(this.#root, request.snapshot), request);
  }

  #placesOf(source: Pick<BackupSource, 'id' | 'serverId'>): ReturnType<typeof placesOf> {
    return placesOf(this.#root, { serverId: source.serverId, sourceId: source.id });
  }

  async #latest(source: BackupSource, distrusted: readonly string[] = []): Promise<FormerSnapshot | null> {
    const { snapshots } = this.#placesOf(source);
    for await (const { snapshot, attributes } of publishedIn(snapshots, source)) {
      const { name, manifestSha256 } = snapshot;
      if (distrusted.includes(name)) continue;
      const places = snapshotPlaces(join(snapshots, name));
      const isRecorded = isManifestRecorded(places, manifestSha256);
      return { name, places, manifestSha256, isRecorded, attributes };
    }
    return null;
  }

  async #lock(path: string, signal: AbortSignal): Promise<SourceLock> {
    const lock = await SourceLock.acquire(path, this.#patienceMs, signal);
    if (lock) return lock;
    throw new DomainError(
      'backup_failed',
      'Another backup of this source is running, started by another service or left by one that was killed. Try again when it has ended.',
    );
  }
}

const boundTo = (watch: TransferWatch): Pick<TransferWatch, 'log' | 'progress'> => ({
  log: (line) => watch.log(line),
  progress: (current, percent, detail) => watch.progress(current, percent, detail),
});

async function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  });
}

const idsIn = async (directory: string): Promise<readonly number[]> =>
  (await namesIn(directory)).filter((name) => /^\d{1,15}$/.test(name)).map(Number);

/** Throws `file_not_found`, and `snapshot_damaged` if the file differs from the manifest. */
async function assertAsTaken(
  places: SnapshotPlaces,
  manifestSha256: string,
  dump: string,
  signal: AbortSignal,
): Promise<void> {
  const wanted = bytesOfText(dump);
  let sha256: string | undefined;
  let size = 0;
  for await (const entry of readManifest(places.manifest, manifestSha256)) {
    signal.throwIfAborted();
    if (entry.path === wanted && entry.type === 'file') ({ sha256, size } = entry);
  }
  if (sha256 === undefined) throw new DomainError('file_not_found', `The snapshot has no dump ${dump}.`);
  const place = pathBelow(places.files, wanted);
  const isThere = (await lookAt(place))?.isFile() ?? false;
  if (isThere && (await hashFile(place, size, undefined, signal)) === sha256) return;
  throw new DomainError(
    'snapshot_damaged',
    `The dump ${dump} in the snapshot differs from what was backed up.`,
  );
}
