import { formatBytes } from '../../application/jobs/words.ts';
import type { RestoreRequest, TransferWatch } from '../../application/ports/backup-engine.ts';
import { DomainError, InvalidInput } from '../../domain/errors.ts';
import { bytesOfBuffer, toBuffer } from './byte-string.ts';
import { hashFile } from './file-hash.ts';
import { pathBelow } from './file-tree.ts';
import { Findings } from './findings.ts';
import { isDirectory, type ManifestEntry } from './manifest-entry.ts';
import { readManifest } from './manifest-file.ts';
import { KEPT, memoryLimitKib, PLAIN } from './pull.ts';
import { type Selection, select } from './restore-selection.ts';
import { prepareTarget } from './restore-target.ts';
import { RsyncComplaints } from './rsync-complaints.ts';
import { RsyncOutput } from './rsync-lines.ts';
import { outcomeOf } from './rsync-outcome.ts';
import { runRsync } from './rsync-process.ts';
import { factsOf } from './snapshot-facts.ts';
import type { SnapshotPlaces } from './store-layout.ts';
import { TargetCheck } from './target-check.ts';
import { TransferProgress } from './transfer-progress.ts';
import { counted } from './wording.ts';

/** The part of the work, in percent, that is over when all is sent; the rest is for reading it there. */
const SENT = 60;
const BATCH_ENTRIES = 500;
const BATCH_BYTES = 1024 * 1024 * 1024;

/** One restore: sends the files, then proves on the host that they are what the manifest says. */
export class RsyncRestore {
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
    const selection = await select(this.#places, snapshot.manifestSha256, { subpaths, roots }, signal);
    const target = { directory, overwrite, above: selection.above };
    const { isRoot } = await prepareTarget(host, target, signal);
    if (!isRoot) this.#watch.log('Not root on the host: owners and device files are not restored.');
    const complaints = await this.#send(selection);
    return this.#compare(selection, complaints, isRoot);
  }

  async #send(selection: Selection): Promise<RsyncComplaints> {
    const { host, directory, overwrite } = this.#request;
    const output = new RsyncOutput((bytes) =>
      this.#progress.bytes('Restoring', bytes, selection.totalBytes, 0, SENT),
    );
    const complaints = new RsyncComplaints();
    this.#progress.stage('Restoring', 0);
    const end = await runRsync({
      host,
      // the directory is no argument of rsync, which would take "*" in it as a wildcard
      remoteScript: 'cd -- "$1" || exit 43; shift; exec rsync "$@"',
      remoteArgs: [directory],
      args: [
        ...KEPT,
        ...(ownsItsStore() ? [] : ['--no-owner', '--no-group']),
        ...PLAIN,
        '--info=progress2',
        // a file of the same size and time may still be another
        ...(overwrite ? ['--checksum'] : []),
        '--',
        `${this.#places.files}/`,
        'drover:./',
      ],
      // with a slash in front, no name passes for a comment
      paths: selection.paths.map((path) => Buffer.concat([Buffer.from('/'), toBuffer(path)])),
      memoryKib: memoryLimitKib(),
      signal: this.#watch.signal,
      onOutput: output.line,
      onComplaint: complaints.line,
    });
    const outcome = outcomeOf(end, complaints);
    if (outcome === 'full') {
      throw new DomainError(
        'disk_full',
        `The disk of "${directory}" on the host is full (${complaints.text}): free some space there and restore again.`,
      );
    }
    if (outcome !== 'complete')
      this.#watch.log(`Not everything could be restored as it was: ${complaints.text}`);
    return complaints;
  }

  async #compare(
    selection: Selection,
    complaints: RsyncComplaints,
    isRoot: boolean,
  ): Promise<{ readonly files: number; readonly bytes: number }> {
    const { host, directory, snapshot } = this.#request;
    const check = new TargetCheck(host, directory, this.#watch.signal);
    const findings = new Findings();
    const differing: ManifestEntry[] = [];
    let files = 0;
    let bytes = 0;
    this.#progress.stage('Comparing with the manifest', SENT);
    for await (const batch of this.#batches(selection, isRoot)) {
      for (const [entry, fault] of await check.faults(batch)) {
        if (findings.paths.length < 10) differing.push(entry);
        findings.add(entry.path, fault);
      }
      files += batch.filter((entry) => !isDirectory(entry)).length;
      bytes += batch.reduce((sum, { size }) => sum + size, 0);
      this.#progress.bytes('Comparing with the manifest', bytes, selection.totalBytes, SENT, 100);
    }
    if (findings.count > 0) throw await this.#failure(findings, differing, complaints);
    this.#watch.log(
      `Restored snapshot ${snapshot.name} to "${directory}": ${counted(files, 'file')}, ${formatBytes(bytes)}, all as in the manifest.`,
    );
    return { files, bytes };
  }

  async *#batches(selection: Selection, isRoot: boolean): AsyncGenerator<readonly ManifestEntry[]> {
    let batch: ManifestEntry[] = [];
    let bytes = 0;
    for await (const entry of readManifest(this.#places.manifest, this.#request.snapshot.manifestSha256)) {
      if (!selection.contains(entry)) continue;
      // only root makes them
      if (!isRoot && entry.device !== undefined) continue;
      batch.push(entry);
      bytes += entry.size;
      if (batch.length < BATCH_ENTRIES && bytes < BATCH_BYTES) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0) yield batch;
  }

  /** Whose fault it is: the snapshot's, where it no longer is what its manifest says. */
  async #failure(
    findings: Findings,
    differing: readonly ManifestEntry[],
    complaints: RsyncComplaints,
  ): Promise<DomainError> {
    for (const entry of differing) {
      if (entry.type !== 'file') continue;
      const place = pathBelow(this.#places.files, entry.path);
      const hash = await hashFile(place, entry.size).catch(() => null);
      if (hash !== entry.sha256) {
        return new DomainError(
          'snapshot_damaged',
          `The snapshot is damaged; what it has was given back, but: ${findings.text}.`,
        );
      }
    }
    const why = complaints.faultCount > 0 ? ` rsync said: ${complaints.text}.` : '';
    return new DomainError('restore_failed', `Not everything was given back: ${findings.text}.${why}`);
  }
}

/** Without root, owners in the store are the service's own and say nothing. */
const ownsItsStore = (): boolean => process.geteuid?.() === 0;

function assertDirectory(directory: string, overwrite: boolean): void {
  const parts = directory.split('/');
  const isPlain = directory.startsWith('/') && !directory.includes('\0') && !parts.includes('..');
  if (!isPlain) {
    throw new InvalidInput([
      { path: '/directory', message: 'Name an absolute directory without ".." parts.' },
    ]);
  }
  if (parts.every((part) => part === '' || part === '.') && !overwrite) {
    throw new DomainError(
      'restore_target_not_empty',
      'Everything would go back to where it came from: say that what is there may be overwritten, or name a directory.',
    );
  }
}
