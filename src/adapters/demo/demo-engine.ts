import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type BackupEngine,
  BackupEngines,
  type BackupPlan,
  type BackupRequest,
  type PlanRequest,
  type RestoreRequest,
  type TransferWatch,
  type VerifyRequest,
} from '../../application/ports/backups/backup-engine.ts';
import type { BrowseRequest, SnapshotListing } from '../../application/ports/backups/snapshot-browser.ts';
import type { Clock } from '../../application/ports/base/clock.ts';
import type { JailEntry } from '../../application/ports/files/jail-fs.ts';
import type { BackupSource } from '../../domain/backups/backup-source.ts';
import type { NewSnapshot, Snapshot } from '../../domain/backups/snapshot.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { type Instant, SECOND } from '../../domain/base/instant.ts';
import type { PageRequest } from '../../domain/base/page.ts';
import { Chance } from './chance.ts';
import { type DemoFile, demoServerName, filesOf, sizesOn } from './demo-bulk.ts';
import { onlyShown } from './demo-hosts.ts';

export interface DemoEngineDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** How long a simulated job takes, in milliseconds. */
  readonly paceMs: number;
  /** Writes a file of a simulated server. */
  readonly put: (serverId: number, path: string, text: string) => void;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Backups of a fleet that does not exist: nothing is read, transferred or stored. */
export class DemoEngines extends BackupEngines {
  readonly #engine: BackupEngine;

  constructor(deps: DemoEngineDeps) {
    super([]);
    this.#engine = new DemoEngine(deps);
  }

  override of(): BackupEngine {
    return this.#engine;
  }
}

/** The files in a snapshot. */
const filesIn = ({ sourceName, startedAt, serverId }: Snapshot): readonly DemoFile[] =>
  filesOf(demoServerName(serverId), sourceName, startedAt);

const isWanted = (path: string, subpaths: readonly string[]): boolean =>
  subpaths.length === 0 || subpaths.some((each) => path === `/${each}` || path.startsWith(`/${each}/`));

const wantedIn = (snapshot: Snapshot, subpaths: readonly string[]): readonly DemoFile[] =>
  filesIn(snapshot).filter(({ path }) => isWanted(path, subpaths));

const STEPS = 16;
/** Reported this often at least. */
const MAX_STEP_MS = 2 * SECOND;
/** What is copied in a second at least. */
const SLOWEST = 2 ** 20;

class DemoEngine implements BackupEngine {
  readonly name = 'rsync';
  readonly #deps: DemoEngineDeps;

  constructor(deps: DemoEngineDeps) {
    this.#deps = deps;
  }

  async list({ snapshot, path }: BrowseRequest, { limit, offset }: PageRequest): Promise<SnapshotListing> {
    const prefix = path.isRoot ? '/' : `/${String(path)}/`;
    const found = new Map<string, JailEntry>();
    for (const { path: file, size, changedAt } of filesIn(snapshot)) {
      if (!file.startsWith(prefix)) continue;
      const [name = '', ...below] = file.slice(prefix.length).split('/');
      const isFile = below.length === 0;
      found.set(name, {
        name: Buffer.from(name),
        kind: isFile ? 'file' : 'dir',
        size: isFile ? size : 0,
        modifiedAt: isFile ? changedAt : snapshot.startedAt,
      });
    }
    if (found.size === 0) throw notThere(prefix);
    const entries = [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
    return { entries: entries.slice(offset, offset + limit), total: entries.length };
  }

  async *contents({
    snapshot,
    subpaths,
  }: Parameters<BackupEngine['contents']>[0]): ReturnType<BackupEngine['contents']> {
    const seen = new Set<string>();
    for (const { path, size, changedAt, text } of wantedIn(snapshot, subpaths)) {
      const names = path.slice(1).split('/');
      for (const [index] of names.entries()) {
        const at = names.slice(0, index + 1).join('/');
        if (seen.has(at) || !isWanted(`/${at}`, subpaths)) continue;
        seen.add(at);
        const isFile = index === names.length - 1;
        yield {
          path: Buffer.from(at),
          kind: isFile ? 'file' : 'dir',
          size: isFile ? size : 0,
          modifiedAt: isFile ? changedAt : snapshot.startedAt,
          mode: isFile ? 0o644 : 0o755,
          uid: 0,
          gid: 0,
          sha256: isFile ? sha256(text ?? `${path} ${size}`) : null,
          target: null,
        };
      }
    }
  }

  async read({
    snapshot,
    path,
  }: BrowseRequest): Promise<{ readonly size: number; readonly sha256: string; readonly content: Readable }> {
    const file = filesIn(snapshot).find((each) => each.path === `/${String(path)}`);
    if (file === undefined) throw notThere(String(path));
    const { text } = file;
    if (text === null) throw onlyShown();
    const bytes = Buffer.from(text);
    return { size: bytes.length, sha256: sha256(text), content: Readable.from([bytes]) };
  }

  async plan({ source }: PlanRequest): Promise<BackupPlan> {
    return sizesOf(source, this.#deps.clock.now());
  }

  async backup(
    { source, jobId, startedAt }: BackupRequest,
    { log, progress, signal }: TransferWatch,
  ): Promise<NewSnapshot> {
    const { files, totalBytes, transferBytes, transferFiles } = sizesOf(source, startedAt);
    log(`Source "${source.name}": reading ${source.paths.join(', ')}.`);
    const step = (percent: number): void =>
      progress(`Transferring ${source.name}`, percent, {
        phase: 'Transferring',
        amount: { done: Math.round((transferBytes * percent) / 100), total: transferBytes, unit: 'bytes' },
      });
    await this.#pace(signal, step, transferBytes / SLOWEST);
    step(100);
    log(`Source "${source.name}": ${files} files, ${transferFiles} of them new or changed.`);
    return {
      serverId: source.serverId,
      sourceId: source.id,
      sourceName: source.name,
      jobId,
      engine: source.engine,
      name: new Date(startedAt).toISOString().replaceAll(/[-:.]/g, ''),
      startedAt,
      finishedAt: this.#deps.clock.now(),
      fileCount: files,
      totalBytes,
      transferredBytes: transferBytes,
      vanishedCount: 0,
      manifestSha256: '0'.repeat(64),
    };
  }

  async verify({ snapshot }: VerifyRequest, { progress, signal }: TransferWatch): Promise<Restored> {
    await this.#pace(signal, (percent) => progress('Comparing files with the snapshot', percent));
    return { files: snapshot.fileCount, bytes: snapshot.totalBytes };
  }

  async restore(
    { snapshot, directory, subpaths }: RestoreRequest,
    { progress, signal }: TransferWatch,
  ): Promise<Restored> {
    await this.#pace(signal, (percent) => progress('Writing files', percent));
    const wanted = wantedIn(snapshot, subpaths);
    const root = directory === '/' ? '' : directory;
    for (const { path, text } of wanted)
      if (text !== null) this.#deps.put(snapshot.serverId, `${root}${path}`, text);
    return { files: wanted.length, bytes: wanted.reduce((sum, { size }) => sum + size, 0) };
  }

  async published(): Promise<readonly NewSnapshot[]> {
    return [];
  }

  async remove(): Promise<void> {}

  async reclaim(): Promise<void> {}

  async sweep(): Promise<void> {}

  readDump(): Promise<never> {
    return Promise.reject(onlyShown());
  }

  async #pace(signal: AbortSignal, step: (percent: number) => void, mostSeconds = Infinity): Promise<void> {
    const { paceMs, clock } = this.#deps;
    const stepMs = Math.min(MAX_STEP_MS, paceMs / STEPS);
    const steps = Math.max(1, Math.round(Math.min(paceMs, mostSeconds * SECOND) / stepMs));
    for (let done = 0; done < steps; done += 1) {
      step(Math.round((done / steps) * 100));
      await clock.sleep(stepMs, signal);
      signal.throwIfAborted();
    }
  }
}

interface Restored {
  readonly files: number;
  readonly bytes: number;
}

/** Of a source that the visitor made up, nothing is known: it gets sizes of its own. */
function sizesOf(
  { id, serverId, name }: Pick<BackupSource, 'id' | 'serverId' | 'name'>,
  at: Instant,
): BackupPlan {
  const { files, totalBytes, transferredFiles, transferredBytes } = sizesOn(
    demoServerName(serverId),
    name,
    at,
  );
  if (files > 0)
    return { files, totalBytes, transferFiles: transferredFiles, transferBytes: transferredBytes };
  const chance = new Chance(id * 104_729);
  const some = chance.between(300, 9_000);
  const bytes = chance.between(20, 900) * 1_048_576;
  return { files: some, totalBytes: bytes, transferFiles: some, transferBytes: bytes };
}

const notThere = (path: string): DomainError =>
  new DomainError('file_not_found', `There is no ${path} in this snapshot.`);
