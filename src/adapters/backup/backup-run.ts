import { formatBytes } from '../../application/jobs/words.ts';
import type { BackupRequest, TransferWatch } from '../../application/ports/backup-engine.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/instant.ts';
import type { NewSnapshot } from '../../domain/snapshot.ts';
import { allocatedBytes } from './allocated-bytes.ts';
import { buildManifest, type ManifestSummary } from './build-manifest.ts';
import { publishSnapshot } from './publish-snapshot.ts';
import { type PullOrder, type PullResult, planPull, pull } from './pull.ts';
import { orderFor, type SourceOrder } from './pull-order.ts';
import { gatherReceived, removeTree } from './received-files.ts';
import type { RsyncComplaints } from './rsync-complaints.ts';
import type { RsyncStats } from './rsync-lines.ts';
import { makeDirectory } from './store-directory.ts';
import type { StoreIdentity } from './store-identity.ts';
import { type SnapshotPlaces, type SourcePlaces, snapshotPlaces } from './store-layout.ts';
import {
  bytesNeeded,
  freeSpace,
  type Need,
  type Reserve,
  type Space,
  shortage,
  storeIsFull,
} from './store-space.ts';
import { TransferProgress } from './transfer-progress.ts';
import { counted, formatCount } from './wording.ts';

/** The part of the work, in percent, that is over when all is received; the rest is for reading it once more. */
const RECEIVED = 80;
/** A file that changes while it is read usually holds still for the next look. */
const MOST_ATTEMPTS = 2;

export interface RunSettings {
  readonly store: StoreIdentity & { readonly root: string };
  readonly places: SourcePlaces;
  readonly latest: { readonly name: string; readonly places: SnapshotPlaces } | null;
  readonly lockFd: number;
  readonly now: () => Instant;
  readonly reserve?: Reserve;
  /** Called before something is transferred. */
  readonly onTransfer: () => void;
}

/** One backup of one source, under the source's lock. What it received is kept when it fails. */
export class BackupRun {
  readonly #request: BackupRequest;
  readonly #settings: RunSettings;
  readonly #watch: TransferWatch;
  readonly #progress: TransferProgress;

  constructor(request: BackupRequest, settings: RunSettings, watch: TransferWatch) {
    this.#request = request;
    this.#settings = settings;
    this.#watch = watch;
    this.#progress = new TransferProgress(watch);
  }

  async execute(): Promise<NewSnapshot> {
    const { signal } = this.#watch;
    const { places } = this.#settings;
    this.#progress.stage('Looking at the source', null);
    const order = await orderFor(this.#request, this.#settings.store, this.#watch);
    const { source, ...received } = await this.#receive(order);
    const manifest = await this.#describe(received.stats);
    signal.throwIfAborted();
    this.#progress.stage('Publishing the snapshot', 99);
    const snapshot = await publishSnapshot(places, this.#facts(received, manifest), source);
    // what is left over does no harm; the next run takes it away
    await removeTree(places.received).catch(() => undefined);
    this.#watch.log(
      `Snapshot ${snapshot.name} is published: ${counted(snapshot.fileCount, 'file')}, ${formatBytes(snapshot.totalBytes)}.`,
    );
    return snapshot;
  }

  async #receive(asked: SourceOrder): Promise<PullResult & { readonly source: SourceOrder }> {
    let source = asked;
    for (let attempt = 1; ; attempt += 1) {
      const { order, planned } = await this.#prepare(source);
      await makeDirectory(order.destination);
      this.#settings.onTransfer();
      const result = await pull(order, this.#watch.signal, (bytes) =>
        this.#progress.bytes('Transferring', bytes, planned.transferredBytes, 0, RECEIVED),
      );
      this.#tellTransfer(result);
      if (result.outcome === 'full') throw storeIsFull();
      if (result.outcome !== 'partial') return { ...result, source };
      const { faultCount, unsteadyCount, attributeCount } = result.complaints;
      if (source.attributes && attributeCount > 0) {
        this.#watch.log(
          `The backup store does not take all ACLs and extended attributes (${result.complaints.text}); going on without them.`,
        );
        source = { ...source, attributes: false };
        attempt -= 1;
        continue;
      }
      if (unsteadyCount < faultCount || attempt === MOST_ATTEMPTS) throw unreadable(result.complaints);
      this.#watch.log(`${counted(faultCount, 'file')} changed while being read; looking again.`);
    }
  }

  /** Throws `disk_full` where what is to come would not fit. */
  async #prepare(source: SourceOrder): Promise<{ readonly order: PullOrder; readonly planned: RsyncStats }> {
    const { places, latest, lockFd, store, reserve } = this.#settings;
    const { signal, log } = this.#watch;
    const { hasReceived } = await gatherReceived(places, latest?.places ?? null, signal);
    if (hasReceived) log('Going on with what an interrupted backup had received.');
    const linkDests = [...(hasReceived ? [places.received] : []), ...(latest ? [latest.places.files] : [])];
    const order = { ...source, linkDests, destination: snapshotPlaces(places.partial).files, lockFd };
    this.#progress.stage('Comparing with the host', null);
    const { stats, outcome, complaints } = await planPull(order, signal);
    if (outcome === 'partial') throw unreadable(complaints);
    const free = await freeSpace(store.root, reserve);
    log(
      `To transfer: ${formatCount(stats.transferredFiles)} of ${counted(stats.regularFiles, 'file')}, ${formatBytes(stats.transferredBytes)}; the store has room for ${formatBytes(Math.max(0, free.bytes))}.`,
    );
    const short = shortage(await this.#needOf(order, stats, free), free);
    if (!short) return { order, planned: stats };
    if (!hasReceived) throw short;
    // it would be in its own way for ever
    log('There is no room to go on with what was received before; beginning anew.');
    await removeTree(places.received, signal);
    return this.#prepare(source);
  }

  async #needOf(order: PullOrder, stats: RsyncStats, free: Space): Promise<Need> {
    const need: Need = {
      bytes: stats.transferredBytes,
      inodes: stats.directories + stats.created + stats.transferredFiles,
    };
    if (bytesNeeded(need) <= free.bytes) return need;
    // files with holes count with all their length so far
    const allocated = await allocatedBytes(order.host, order.roots, this.#watch.signal);
    return allocated === null ? need : { ...need, bytes: Math.min(need.bytes, allocated) };
  }

  async #describe(stats: RsyncStats): Promise<ManifestSummary> {
    const { places, latest } = this.#settings;
    this.#progress.stage('Writing the manifest', RECEIVED);
    const manifest = await buildManifest(snapshotPlaces(places.partial), latest?.places ?? null, {
      signal: this.#watch.signal,
      onHashed: (bytes) =>
        this.#progress.bytes('Writing the manifest', bytes, stats.transferredBytes, RECEIVED, 99),
    });
    if (latest) {
      const kept = counted(manifest.linkedCount, 'unchanged file is', 'unchanged files are');
      this.#watch.log(`${kept} hard-linked to snapshot ${latest.name}.`);
    }
    return manifest;
  }

  #tellTransfer({ stats, complaints, outcome }: PullResult): void {
    const { vanishedCount, vanished } = complaints;
    if (outcome === 'complete' || outcome === 'vanished') {
      this.#watch.log(
        `Transferred ${counted(stats.transferredFiles, 'file')}; ${formatBytes(stats.literalBytes)} came over the wire.`,
      );
    }
    if (vanishedCount > 0) {
      const more = vanishedCount > vanished.length ? ', …' : '';
      this.#watch.log(
        `${counted(vanishedCount, 'file')} vanished while the source was read: ${vanished.join(', ')}${more}`,
      );
    }
  }

  #facts({ stats, complaints }: PullResult, manifest: ManifestSummary): Omit<NewSnapshot, 'name'> {
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
      transferredBytes: stats.literalBytes,
      vanishedCount: complaints.vanishedCount,
      manifestSha256: manifest.sha256,
    };
  }
}

/** Also of a dry run: what cannot be listed cannot be read. */
export function unreadable(complaints: RsyncComplaints): DomainError {
  const advice = complaints.hasWriteFault
    ? 'The backup store must be on a file system that keeps owners, permissions and links, and may be written to.'
    : 'Let the service log in as root or through sudo, or exclude these files.';
  return new DomainError(
    'backup_failed',
    `Some files could not be backed up, so no snapshot was made: ${complaints.text}. ${advice}`,
  );
}
