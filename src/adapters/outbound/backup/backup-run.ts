import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupRequest, TransferWatch } from '../../../application/ports/backups/backup-engine.ts';
import { isContentDue } from '../../../domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../../domain/backups/snapshot.ts';
import { count, grouped } from '../../../domain/base/count.ts';
import { formatBytes } from '../../../domain/base/format-bytes.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import { type Comparison, compareWithFormer, openIn, type Planned } from './comparison.ts';
import { describeSnapshot, type ManifestSummary } from './describe-snapshot.ts';
import { TakenDumps } from './dumps/take-dumps.ts';
import type { FormerSnapshot } from './former-snapshot.ts';
import { assertPathsFit, type HostListing, surveyHost } from './host-survey.ts';
import { flushAhead, publishSnapshot } from './publish-snapshot.ts';
import { orderFor, type SourceOrder } from './pull-order.ts';
import { gatherReceived, removeTree } from './received-files.ts';
import type { Survey } from './source-survey.ts';
import { createFile, isErrno, makeDirectory } from './store-directory.ts';
import type { StoreIdentity } from './store-identity.ts';
import { type SnapshotPlaces, type SourcePlaces, snapshotPlaces } from './store-layout.ts';
import { freeSpace, type Reserve, shortage } from './store-space.ts';
import { Transfer, type Transferred } from './transfer.ts';
import { TransferProgress } from './transfer-progress.ts';
import { namesOf } from './transfer-words.ts';
import { cloneTree, fetchWhatIsMissing, makeDirectories, pruneClone, touchedBy } from './tree-clone.ts';
import { findReceived, type Received } from './use-received.ts';
import { type WorkAhead, workAhead } from './work-ahead.ts';

/** Beside the manifest: how many backups have not compared all contents, since one did. Earlier versions do not know it. */
const placeOf = ({ directory }: SnapshotPlaces): string => join(directory, 'content-count');

/** `null` if the snapshot does not record it. */
async function readContentCount(snapshot: SnapshotPlaces): Promise<number | null> {
  try {
    const text = await readFile(placeOf(snapshot), 'latin1');
    return /^\d{1,9}\n$/.test(text) ? Number(text) : null;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

async function writeContentCount(snapshot: SnapshotPlaces, since: number): Promise<void> {
  const file = await createFile(placeOf(snapshot));
  try {
    await file.writeFile(`${since}\n`);
  } finally {
    await file.close();
  }
}

/** The part of the work, in percent, that is over when all is received. */
const RECEIVED = 95;
/** Less is on disk in no time when the snapshot is published. */
const MIN_FLUSH_BYTES = 8 * 1024 * 1024;

export interface RunSettings {
  readonly store: StoreIdentity & { readonly root: string };
  readonly places: SourcePlaces;
  readonly latest: FormerSnapshot | null;
  readonly survey: Promise<Survey>;
  readonly lockFd: number;
  readonly now: () => Instant;
  readonly reserve?: Reserve;
  /** Called before something is written. */
  readonly onTransfer: () => void;
}

interface HostComparison {
  readonly order: SourceOrder;
  readonly listing: HostListing;
  readonly comparison: Comparison;
  readonly dumps: TakenDumps;
}

interface RunStart extends HostComparison {
  readonly open: readonly Planned[];
  readonly received: ReadonlyMap<Planned, Received>;
  readonly ahead: WorkAhead;
}

/** One backup of one source, under the source's lock. Received data is kept if it fails. */
export class BackupRun {
  readonly #request: BackupRequest;
  readonly #settings: RunSettings;
  readonly #watch: TransferWatch;
  readonly #progress: TransferProgress;
  readonly #files: string;

  constructor(request: BackupRequest, settings: RunSettings, watch: TransferWatch) {
    this.#request = request;
    this.#settings = settings;
    this.#watch = watch;
    this.#progress = new TransferProgress(watch);
    this.#files = snapshotPlaces(settings.places.partial).files;
  }

  async execute(): Promise<NewSnapshot> {
    const { signal } = this.#watch;
    const { places, latest } = this.#settings;
    this.#progress.stage('Checking the source', null);
    const { hasReceived } = await gatherReceived(places, signal);
    if (hasReceived) this.#watch.log('Continuing with what an interrupted backup received.');
    const contentCount = latest && (await readContentCount(latest.places));
    const contents = latest !== null && isContentDue(this.#request.source.compareContentEvery, contentCount);
    if (contents) this.#watch.log('Comparing the contents of all files, not only their sizes and times.');
    const begun = await this.#begin(contents, hasReceived);
    const { order, listing, comparison } = begun;
    const transferred = await this.#transfer(begun);
    const manifest = transferred.described;
    if (latest) {
      const kept = count(manifest.linkedCount, 'unchanged file is', 'unchanged files are');
      this.#watch.log(`${kept} hard-linked to snapshot ${latest.name}.`);
    }
    const isRead = contents || !latest || !comparison.isBuiltOn;
    await writeContentCount(snapshotPlaces(places.partial), isRead ? 0 : (contentCount ?? 0) + 1);
    signal.throwIfAborted();
    this.#progress.stage('Publishing the snapshot', 99);
    const attributes = order.attributes && transferred.lostAttributes === null;
    const facts = this.#facts(transferred, listing, manifest);
    const snapshot = await publishSnapshot(places, facts, { roots: order.roots, attributes });
    // leftovers do no harm; the next run removes them
    if (hasReceived) await removeTree(places.received).catch(() => undefined);
    this.#watch.log(
      `Snapshot ${snapshot.name} is complete: ${count(snapshot.fileCount, 'file')}, ${formatBytes(snapshot.totalBytes)}.`,
    );
    return snapshot;
  }

  /** All that comes before the first file is received. If it fails, none of the links stay. */
  async #begin(contents: boolean, hasReceived: boolean): Promise<RunStart> {
    const cloning = this.#clone();
    const comparing = this.#compare(cloning, contents);
    await Promise.allSettled([comparing, cloning]);
    try {
      const compared = await comparing;
      const open = openIn(compared.comparison);
      const prepared = await this.#prepare(compared.order, compared.comparison, open, hasReceived);
      return { ...compared, ...prepared, open };
    } catch (error) {
      await removeTree(this.#settings.places.partial).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Starts with links to the previous snapshot's files, before the host is asked. Returns whether all of them exist.
   */
  async #clone(): Promise<boolean> {
    const { latest, places, onTransfer } = this.#settings;
    onTransfer();
    await makeDirectory(places.partial);
    if (latest) {
      const isWhole = await cloneTree(latest.places.files, this.#files, this.#watch.signal);
      void flushAhead(places.partial);
      return isWhole;
    }
    await makeDirectory(this.#files);
    return true;
  }

  /** Changed files are removed from the links. */
  async #compare(cloning: Promise<boolean>, contents: boolean): Promise<HostComparison> {
    const { signal } = this.#watch;
    const { latest, store, places, survey } = this.#settings;
    const wantedDumps = this.#request.dumps ?? [];
    const order = await orderFor(this.#request, await survey, store, latest, this.#watch);
    const staging = join(places.partial, 'dumps');
    const dumps = await TakenDumps.take(wantedDumps, staging, this.#watch);
    const { host, roots, excludes, attributes } = order;
    this.#progress.stage('Comparing with the host', null);
    // dumps come first: files that belong to them are listed after them
    const listing = surveyHost(host, roots, excludes, signal).then((listed) => dumps.listedWith(listed));
    const comparison = await compareWithFormer(host, listing, latest, { attributes, contents, signal });
    assertPathsFit(await listing, this.#files);
    dumps.claim(comparison.planned);
    const isWhole = await cloning;
    if (latest) {
      if (!comparison.isBuiltOn) await removeTree(this.#files, signal);
      await makeDirectory(this.#files);
      if (!isWhole || !order.isGnuHere) await fetchWhatIsMissing(this.#files, comparison, signal);
      await pruneClone(this.#files, comparison, signal);
    }
    return { order, listing: await listing, comparison, dumps };
  }

  /** Throws `disk_full` if the expected data does not fit. */
  async #prepare(
    order: SourceOrder,
    comparison: Comparison,
    open: readonly Planned[],
    hasReceived: boolean,
  ): Promise<Pick<RunStart, 'received' | 'ahead'>> {
    const { places, store, reserve } = this.#settings;
    const { signal, log } = this.#watch;
    const wanted = open.filter(({ action }) => action === 'fetch');
    const received: ReadonlyMap<Planned, Received> = hasReceived
      ? await findReceived(order.host, places.received, wanted, signal)
      : new Map();
    const ahead = await workAhead(comparison.planned, received, order.isGnu, signal);
    const free = await freeSpace(store.root, reserve);
    log(
      `To transfer: ${grouped(ahead.filesToCome)} of ${count(ahead.files, 'file')}, ${formatBytes(ahead.bytesToCome)}; the store has ${formatBytes(Math.max(0, free.bytes))} free.`,
    );
    const short = shortage(ahead.need, free);
    if (!short) return { received, ahead };
    if (!hasReceived) throw short;
    // it would block itself forever
    log('Not enough space to continue with the partial transfer, so it is deleted.');
    await removeTree(places.received, signal);
    return this.#prepare(order, comparison, open, false);
  }

  async #transfer({
    order,
    comparison,
    open,
    received,
    ahead,
    dumps,
  }: RunStart): Promise<Transferred & { readonly described: ManifestSummary }> {
    const { latest, lockFd, places } = this.#settings;
    const { signal, log } = this.#watch;
    await makeDirectories(this.#files, open, signal);
    await dumps.place(this.#files);
    const transfer = new Transfer({
      order,
      planned: open,
      touched: await touchedBy(open, comparison.stale, signal),
      former: latest,
      files: this.#files,
      received,
      holes: ahead.holes,
      lockFd,
      signal,
      onBytes: (bytes) => this.#progress.bytes('Transferring', bytes, ahead.fetchBytes, 0, RECEIVED),
    });
    const partial = snapshotPlaces(places.partial);
    const done = await transfer.execute(() => {
      this.#progress.stage('Writing the manifest', RECEIVED);
      if (ahead.bytesToCome >= MIN_FLUSH_BYTES) void flushAhead(partial.directory);
      return describeSnapshot(partial, comparison.planned, latest, signal);
    });
    log(`Transferred ${count(done.files, 'file')}; ${formatBytes(done.literalBytes)} sent over the network.`);
    if (done.vanished.length > 0) {
      log(
        `${count(done.vanished.length, 'file')} vanished while the source was read: ${namesOf(done.vanished)}`,
      );
    }
    if (done.unsteady.length > 0) {
      log(
        `${count(done.unsteady.length, 'file')} changed while being read; the snapshot has them as last read: ${namesOf(done.unsteady)}`,
      );
    }
    if (done.lostAttributes !== null) {
      log(
        `The backup store does not support all ACLs and extended attributes (${done.lostAttributes}); continuing without them.`,
      );
    }
    return { ...done, literalBytes: done.literalBytes + dumps.bytes };
  }

  #facts(
    transferred: Transferred,
    listing: HostListing,
    manifest: ManifestSummary,
  ): Omit<NewSnapshot, 'name'> {
    const { source, jobId, startedAt } = this.#request;
    return {
      serverId: source.serverId,
      sourceId: source.id,
      sourceName: source.name,
      jobId,
      engine: 'rsync',
      startedAt,
      finishedAt: this.#settings.now(),
      fileCount: manifest.fileCount,
      totalBytes: manifest.totalBytes,
      transferredBytes: transferred.literalBytes,
      vanishedCount: listing.vanishedCount + transferred.vanished.length,
      manifestSha256: manifest.sha256,
    };
  }
}
