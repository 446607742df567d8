import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type {
  BackupEngine,
  BackupPlan,
  BackupRequest,
  PlanRequest,
  Reach,
  RestoreRequest,
  SnapshotPlace,
  TransferWatch,
  VerifyRequest,
} from '../../../../application/ports/backups/backup-engine.ts';
import type { ProtectedPlaces } from '../../../../application/ports/backups/protected-places.ts';
import type { OpenRepository } from '../../../../application/ports/backups/repository-inspector.ts';
import type {
  BrowseRequest,
  SnapshotBrowser,
} from '../../../../application/ports/backups/snapshot-browser.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import type { BackupSource } from '../../../../domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../../../domain/backups/snapshot.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import type { Instant } from '../../../../domain/base/instant.ts';
import type { PageRequest } from '../../../../domain/base/page.ts';
import { manifestContents } from '../manifest-contents.ts';
import { removeTree } from '../received-files.ts';
import { rehearse } from '../rehearsal.ts';
import { prepareTarget } from '../restore-target.ts';
import { Scratch } from '../scratch.ts';
import { allPublishedIn, factsOf, publishedIn } from '../snapshot-facts.ts';
import { SourceLock } from '../source-lock.ts';
import { makeDirectory } from '../store-directory.ts';
import { placesOf, publishedPlaces, type SnapshotPlaces, type SourcePlaces } from '../store-layout.ts';
import { moveToTrash } from '../trash.ts';
import { runResticBackup, startResticSurvey } from './restic-backup-run.ts';
import { listRestic, readFromRestic, type SnapshotSession } from './restic-browse.ts';
import { repositoryFault } from './restic-faults.ts';
import { formerSnapshot } from './restic-former.ts';
import { type ResticEnd, ResticHost } from './restic-host.ts';
import { forgetCutOff, forgetRemoved } from './restic-left-overs.ts';
import { BegunRuns, referenceIn } from './restic-places.ts';
import { planResticBackup } from './restic-plan.ts';
import { failure, fetchFiles, restoreFromRestic } from './restic-restore.ts';
import { ResticSession } from './restic-session.ts';

const LOCK_PATIENCE_MS = 20_000;

type SourceKey = Pick<BackupSource, 'id' | 'serverId'>;

/** Opens the repository that a source's snapshots are in. */
export interface Repositories {
  ofSource(sourceId: number): Promise<OpenRepository>;
}

/**
 * Encrypted snapshots in a repository that the hosts reach directly: restic runs there. Below `root`, the service
 * keeps each snapshot's facts and manifest. A snapshot is published when these exist.
 */
export class ResticBackupEngine implements BackupEngine {
  readonly name = 'restic' as const;
  readonly #root: string;
  readonly #repositories: Repositories;
  readonly #places: ProtectedPlaces;
  readonly #now: () => Instant;
  readonly #lockPatienceMs: number | undefined;

  /** `lockPatienceMs`: how long to wait for a repository that others hold. */
  constructor(options: {
    readonly root: string;
    readonly repositories: Repositories;
    /** Places that must not contain a repository. */
    readonly places: ProtectedPlaces;
    readonly now?: () => Instant;
    readonly lockPatienceMs?: number;
  }) {
    this.#root = resolve(options.root);
    this.#repositories = options.repositories;
    this.#places = options.places;
    this.#now = options.now ?? Date.now;
    this.#lockPatienceMs = options.lockPatienceMs;
  }

  async backup(request: BackupRequest, watch: TransferWatch): Promise<NewSnapshot> {
    watch.signal.throwIfAborted();
    const { source, host } = request;
    const places = this.#placesOf(source);
    await makeDirectory(places.snapshots);
    // the host answers while the lock is taken
    const survey = startResticSurvey(request, watch.signal);
    const lock = await SourceLock.acquire(places.lock, LOCK_PATIENCE_MS, watch.signal);
    if (!lock) throw underWay();
    let session: ResticSession | null = null;
    try {
      const hostLock = `${source.serverId}-${source.id}`;
      session = await this.#session(source.id, host, watch);
      // the host gets ready for restic while it is surveyed
      session.restic.prepare(hostLock);
      const begun = new BegunRuns(places);
      const { value: latest } = await publishedIn(places.snapshots, source).next();
      const settings = {
        survey,
        session,
        places,
        begun,
        lock: hostLock,
        former: await formerSnapshot(places.snapshots, latest?.snapshot),
        now: this.#now,
      };
      const made = await runResticBackup(request, settings, watch);
      // what it can't remove now it removes the next time
      await forgetCutOff(session, places, begun).catch(() => undefined);
      return made;
    } finally {
      session?.restic.discard();
      await lock.release();
    }
  }

  async plan(request: PlanRequest, watch: TransferWatch): Promise<BackupPlan> {
    return planResticBackup(request, await this.#session(request.source.id, request.host, watch), watch);
  }

  /** Its sources have no dumps. */
  async readDump({ path }: Parameters<BackupEngine['readDump']>[0]): ReturnType<BackupEngine['readDump']> {
    throw new DomainError('file_not_found', `The snapshot has no dump ${path}.`);
  }

  published(source: BackupSource): Promise<readonly NewSnapshot[]> {
    return allPublishedIn(this.#placesOf(source).snapshots, source);
  }

  async remove(snapshot: SnapshotPlace, origin: Reach, watch: TransferWatch): Promise<void> {
    if ((await moveToTrash(this.#root, snapshot)) === null) return;
    const source = { id: snapshot.sourceId, serverId: snapshot.serverId };
    const session = await this.#session(snapshot.sourceId, await origin(), watch);
    await forgetRemoved(session, this.#placesOf(source));
  }

  async reclaim(source: SourceKey, origin: Reach, watch: TransferWatch): Promise<void> {
    const session = await this.#session(source.id, await origin(), watch);
    await forgetRemoved(session, this.#placesOf(source));
    watch.progress('Freeing space in the repository', null);
    const end = await session.run({ args: ['prune'] });
    if (end.exitCode !== 0) throw repositoryFault(session.restic.opened, end);
    watch.log('Freed unused space in the repository.');
  }

  /** The repository cannot be reached from here: only the service's own data of removed sources. */
  async sweep(knownSources: readonly SourceKey[]): Promise<void> {
    const known = new Set(knownSources.map((source) => this.#placesOf(source).directory));
    for (const serverId of await idsIn(this.#root)) {
      for (const sourceId of await idsIn(join(this.#root, String(serverId)))) {
        const places = placesOf(this.#root, { serverId, sourceId });
        if (known.has(places.directory)) continue;
        await removeTree(places.partial);
        if ((await namesIn(places.snapshots)).length === 0) await removeTree(places.directory);
      }
    }
  }

  async verify(
    request: VerifyRequest,
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly bytes: number }> {
    const { snapshot } = request;
    const session = await this.#session(snapshot.sourceId, await request.origin(), watch);
    return rehearseRestic(request, { session, places: publishedPlaces(this.#root, snapshot) }, watch);
  }

  contents: BackupEngine['contents'] = (request, signal) => {
    const places = publishedPlaces(this.#root, request.snapshot);
    return manifestContents(places, { ...request, withoutDumps: false }, signal);
  };

  async restore(
    request: RestoreRequest,
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly bytes: number }> {
    const { snapshot, host, origin } = request;
    const session = await this.#session(snapshot.sourceId, origin ? await origin() : host, watch);
    return restoreFromRestic(request, { session, places: publishedPlaces(this.#root, snapshot) }, watch);
  }

  async list(request: BrowseRequest, window: PageRequest): ReturnType<SnapshotBrowser['list']> {
    return listRestic(await this.#browsed(request), request, window);
  }

  async read(request: BrowseRequest): ReturnType<SnapshotBrowser['read']> {
    return readFromRestic(await this.#browsed(request), request);
  }

  async #browsed({ snapshot, origin, signal }: BrowseRequest): Promise<SnapshotSession> {
    const { directory } = publishedPlaces(this.#root, snapshot);
    const id = await referenceIn(directory, snapshot.name);
    return { id, session: await this.#session(snapshot.sourceId, await origin(), { ...QUIET, signal }) };
  }

  async #session(
    sourceId: number,
    host: RemoteHost,
    watch: Pick<TransferWatch, 'signal' | 'log'>,
  ): Promise<ResticSession> {
    const opened = await this.#repositories.ofSource(sourceId);
    return new ResticSession(
      new ResticHost(host, opened, this.#places, watch.signal),
      watch,
      this.#lockPatienceMs,
    );
  }

  #placesOf({ serverId, id }: SourceKey): SourcePlaces {
    return placesOf(this.#root, { serverId, sourceId: id });
  }
}

const underWay = (): DomainError =>
  new DomainError('backup_failed', 'Another backup of this source is running. Try again when it has ended.');

const QUIET = { signal: new AbortController().signal, log: () => undefined };

const namesIn = (directory: string): Promise<readonly string[]> => readdir(directory).catch(() => []);

const idsIn = async (directory: string): Promise<readonly number[]> =>
  (await namesIn(directory)).filter((name) => /^\d{1,15}$/.test(name)).map(Number);

/** Verifies that a snapshot can be restored, on its own host, which can reach the repository. */
async function rehearseRestic(
  { snapshot, sample, chance }: VerifyRequest,
  settings: { readonly session: ResticSession; readonly places: SnapshotPlaces },
  watch: TransferWatch,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const { session, places } = settings;
  const { signal } = watch;
  await factsOf(places, snapshot.name);
  const id = await referenceIn(places.directory, snapshot.name);
  const { host } = session.restic;
  const scratch = await Scratch.open(host, signal);
  try {
    const above = { directory: scratch.directory, overwrite: true, above: [] };
    const { isRoot } = await prepareTarget(host, above, signal, 'restic');
    let end: ResticEnd = { exitCode: 0, said: '' };
    return await rehearse(
      {
        places,
        manifestSha256: snapshot.manifestSha256,
        sample,
        chance,
        scratch,
        isRoot,
        sockets: true,
        restore: async (entries, directory) => {
          await prepareTarget(host, { directory, overwrite: false, above: [] }, signal, 'restic');
          end = await fetchFiles(session, { id, directory, paths: entries.map(({ path }) => path) });
        },
        judge: ({ findings }) => Promise.reject(failure(session, end, findings)),
      },
      watch,
    );
  } finally {
    await scratch.close();
  }
}
