import type { RestoreRequest, TransferWatch } from '../../../application/ports/backups/backup-engine.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { bytesOfBuffer } from './byte-string.ts';
import { hashFile } from './file-hash.ts';
import { lookAt, pathBelow } from './file-tree.ts';
import type { Findings } from './findings.ts';
import type { ManifestEntry } from './manifest-entry.ts';
import { compareRestored } from './restore-check.ts';
import { assertDirectory, assertRoom, restoredText } from './restore-order.ts';
import { type Selection, select, selectedEntries } from './restore-selection.ts';
import { prepareTarget } from './restore-target.ts';
import { type Carrier, carrierTo, sendFiles } from './send-files.ts';
import { factsOf } from './snapshot-facts.ts';
import type { SnapshotPlaces } from './store-layout.ts';
import { TransferProgress } from './transfer-progress.ts';

/** The part of the work, in percent, that is over when all is sent; the rest is for reading it there. */
const SENT = 60;

/** One restore: sends the files, then verifies them on the host against the manifest. */
export class TreeRestore {
  readonly #request: RestoreRequest;
  readonly #places: SnapshotPlaces;
  readonly #watch: TransferWatch;
  readonly #progress: TransferProgress;

  constructor(request: RestoreRequest, places: SnapshotPlaces, watch: TransferWatch) {
    this.#request = request;
    this.#places = places;
    this.#watch = watch;
    this.#progress = new TransferProgress(watch);
  }

  async execute(): Promise<{ readonly files: number; readonly bytes: number }> {
    const { host, directory, overwrite, snapshot, subpaths } = this.#request;
    const { signal } = this.#watch;
    assertDirectory(directory, overwrite);
    const facts = await factsOf(this.#places, snapshot.name);
    const roots = facts.roots.map(bytesOfBuffer);
    this.#progress.stage('Reading the manifest', null);
    const withoutDumps = directory === '/';
    const order = { subpaths, roots, withoutDumps };
    const selection = await select(this.#places, snapshot.manifestSha256, order, signal);
    const target = { directory, overwrite, above: selection.above };
    const { isRoot, freeBytes } = await prepareTarget(host, target, signal, 'tar');
    const carrier = await carrierTo(host, signal);
    if (!overwrite) await this.#assertRoom(selection, freeBytes);
    if (!isRoot) this.#watch.log('Not root on the host: owners and device files are not restored.');
    if (!carrier.sockets)
      this.#watch.log(
        'Sockets are not restored: archives cannot contain them, and rsync is not installed on both sides.',
      );
    const complaint = await this.#send(
      selection,
      this.#attributes(carrier, facts.attributes),
      carrier,
      isRoot,
    );
    return this.#compare(selection, complaint, carrier, isRoot);
  }

  /** Files with holes need less than their size; checked only if they would not fit otherwise. */
  async #assertRoom(selection: Selection, freeBytes: number | null): Promise<void> {
    const { directory, snapshot } = this.#request;
    const { totalBytes, entryCount } = selection;
    if (freeBytes === null || totalBytes <= freeBytes / 2) return;
    let bytes = 0;
    for await (const entry of selectedEntries(this.#places, snapshot.manifestSha256, selection, {
      isRoot: true,
      sockets: true,
    })) {
      this.#watch.signal.throwIfAborted();
      const stat = entry.type === 'file' ? await lookAt(pathBelow(this.#places.files, entry.path)) : null;
      bytes += Math.min(entry.size, stat ? Number(stat.blocks) * 512 : entry.size);
    }
    assertRoom(directory, freeBytes, { bytes, entries: entryCount });
  }

  #attributes(carrier: Carrier, wereKept: boolean): boolean {
    if (wereKept && !carrier.attributes) {
      this.#watch.log(
        `ACLs and extended attributes are not restored: ${carrier.name} cannot carry them to this host.`,
      );
    }
    return wereKept && carrier.attributes;
  }

  async #send(
    selection: Selection,
    attributes: boolean,
    carrier: Carrier,
    isRoot: boolean,
  ): Promise<string | null> {
    const { host, directory, overwrite, snapshot } = this.#request;
    const { signal } = this.#watch;
    const { paths, totalBytes, above } = selection;
    this.#progress.stage('Restoring', 0);
    const onBytes = (bytes: number): void => this.#progress.bytes('Restoring', bytes, totalBytes, 0, SENT);
    const leading = new Set(above);
    const contains = (entry: ManifestEntry): boolean => selection.contains(entry) || leading.has(entry.path);
    const entries = selectedEntries(
      this.#places,
      snapshot.manifestSha256,
      { contains },
      { isRoot, ...carrier },
    );
    const from = this.#places.files;
    const complaint = await sendFiles({
      host,
      carrier,
      from,
      directory,
      paths,
      entries,
      overwrite,
      attributes,
      signal,
      onBytes,
    });
    if (complaint !== null) this.#watch.log(`Not everything could be restored as it was: ${complaint}`);
    return complaint;
  }

  async #compare(
    selection: Selection,
    complaint: string | null,
    carrier: Carrier,
    isRoot: boolean,
  ): Promise<{ readonly files: number; readonly bytes: number }> {
    const { host, directory, snapshot } = this.#request;
    const { signal } = this.#watch;
    this.#progress.stage('Comparing with the manifest', SENT);
    const onBytes = (bytes: number): void =>
      this.#progress.bytes('Comparing with the manifest', bytes, selection.totalBytes, SENT, 100);
    const entries = selectedEntries(this.#places, snapshot.manifestSha256, selection, { isRoot, ...carrier });
    const { files, bytes, findings, differing } = await compareRestored(
      { host, directory, signal, onBytes },
      entries,
    );
    if (findings.count > 0) throw await this.#failure(findings, differing, complaint);
    this.#watch.log(restoredText(snapshot.name, directory, { files, bytes }));
    return { files, bytes };
  }

  /** The cause: the snapshot, if it no longer matches its manifest. */
  async #failure(
    findings: Findings,
    differing: readonly ManifestEntry[],
    complaint: string | null,
  ): Promise<DomainError> {
    for (const entry of differing) {
      if (entry.type !== 'file') continue;
      const place = pathBelow(this.#places.files, entry.path);
      const hash = await hashFile(place, entry.size).catch(() => null);
      if (hash !== entry.sha256) {
        return new DomainError(
          'snapshot_damaged',
          `The snapshot is damaged; what it has was restored, but: ${findings.text}.`,
        );
      }
    }
    const why = complaint === null ? '' : ` The host said: ${complaint}.`;
    return new DomainError('restore_failed', `Not everything was restored: ${findings.text}.${why}`);
  }
}
