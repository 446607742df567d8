import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupRequest } from '../../../../application/ports/backups/backup-engine.ts';
import { whenAborted } from '../../hosts/shell/when-aborted.ts';
import { bytesOfText, textOf } from '../byte-string.ts';
import { excludeMatcher } from '../exclude-matcher.ts';
import { excludePatterns } from '../exclude-rules.ts';
import { digestOfHost, isBelow, surveyHost } from '../host-survey.ts';
import { ListingDigest } from '../listing-digest.ts';
import type { ManifestEntry } from '../manifest-entry.ts';
import { Pace } from '../pace.ts';
import type { Survey } from '../source-survey.ts';
import type { SnapshotPlaces } from '../store-layout.ts';
import type { Surveyed } from '../surveyed.ts';
import { GARBLED, type ManifestCounts, writeManifest } from './restic-manifest.ts';
import type { ResticSummary } from './restic-messages.ts';

/** The listing is held in memory: with more files restic's own list is read, which is not. */
const MAX_ENTRIES = 250_000;
/** Commands that the host starts take processor time from restic. Their answers stay below the limit. */
const BATCH_ENTRIES = 5_000;
/** A clock tick, and the part of a second that the host's clock does not report. */
const UNSURE_SECONDS = 2;

type Request = Pick<BackupRequest, 'host' | 'source' | 'extraExcludes'>;

interface AheadSource {
  /** From before restic was started. */
  readonly survey: Survey;
  /** As in `resticExcludes`. */
  readonly repositoryPath: string | null;
  readonly former: { readonly places: SnapshotPlaces } | null;
  /** Of the snapshot; its directory is there once `ready`. */
  readonly places: SnapshotPlaces;
  readonly ready: Promise<void>;
}

interface HostCounts extends ManifestCounts {
  readonly directoryCount: number;
  /** Whether nothing had changed for a while when restic was started. */
  readonly isCalm: boolean;
  readonly digest: string;
}

/**
 * Lists and hashes a source, and writes that as a manifest. Each hash in it belongs to the change time beside it. If the
 * source stayed as it was since restic was started, this is the manifest of restic's snapshot. A first backup does it while
 * restic reads; later ones have few files to hash, and do it afterwards if restic found changes.
 */
export class ManifestAhead {
  readonly #request: Request;
  readonly #survey: Survey;
  readonly #manifest: string;
  readonly #stopping = new AbortController();
  readonly #signal: AbortSignal;
  readonly #forget: () => void;
  readonly #patterns: readonly string[];
  readonly #source: AheadSource;
  #found: Promise<HostCounts | null> = Promise.resolve(null);
  #unnamedCount = 0;
  #directoryCount = 0;
  onBytes: (bytes: number) => void = () => undefined;

  constructor(request: Request, source: AheadSource, signal: AbortSignal) {
    const { survey, repositoryPath } = source;
    this.#request = request;
    this.#survey = survey;
    this.#source = source;
    this.#manifest = join(source.places.directory, 'ahead.jsonl');
    this.#signal = this.#stopping.signal;
    this.#forget = whenAborted(signal, () => this.#stopping.abort(signal.reason));
    this.#patterns = excludePatterns({
      patterns: [...request.source.excludes, ...(request.extraExcludes ?? [])],
      roots: survey.roots,
      moved: survey.moved,
      store: repositoryPath !== null && meets(repositoryPath, survey.roots) ? repositoryPath : null,
    });
    if (source.former === null) this.#begin();
  }

  /** restic has found changes. */
  onChanges(): void {
    if (this.#source.former !== null && this.#isWhole) this.#begin();
  }

  /** Ends the pass, and removes what it has written. */
  async stop(): Promise<void> {
    this.#forget();
    this.#stopping.abort();
    await this.#found;
    await rm(this.#manifest, { force: true });
  }

  /** A manifest with its hashes, once all are there; `null` if there is none. */
  async hashes(): Promise<string | null> {
    return (await this.#found) === null ? null : this.#manifest;
  }

  /**
   * Moves its manifest to `place` if it is certainly that of the snapshot: restic left nothing out, counted the same,
   * and nothing has changed since restic was started.
   */
  async moveTo(place: string, summary: ResticSummary): Promise<ManifestCounts | null> {
    if (!this.#isWhole) return null;
    const found = await this.#found;
    if (!found?.isCalm || !isCounted(summary, found)) return null;
    if (found.digest !== (await this.#digest())) return null;
    await rename(this.#manifest, place);
    return found;
  }

  /** Whether restic leaves nothing out. */
  get #isWhole(): boolean {
    return this.#patterns.length === 0;
  }

  #begin(): void {
    // restic's own list has all of it
    this.#found = this.#pass().catch(() => null);
  }

  async #digest(): Promise<string | null> {
    const matcher = excludeMatcher(this.#patterns);
    return digestOfHost(this.#request.host, this.#survey.roots, matcher, this.#signal).catch(() => {
      this.#signal.throwIfAborted();
      return null;
    });
  }

  async #pass(): Promise<HostCounts> {
    const { host } = this.#request;
    const { former, ready } = this.#source;
    const { roots, askedAt } = this.#survey;
    const digest = new ListingDigest();
    const options = { maxEntries: MAX_ENTRIES, digest };
    const { entries } = await surveyHost(host, roots, excludeMatcher(this.#patterns), this.#signal, options);
    const newest = this.#newestOf(entries);
    const isCalm = newest < askedAt - UNSURE_SECONDS;
    if (former !== null && !isCalm) throw new Error('restic lists it anyway');
    await ready;
    const written = await writeManifest(
      host,
      this.#entriesOf(entries),
      {
        manifest: this.#manifest,
        former: former?.places.manifest ?? null,
        batchEntries: BATCH_ENTRIES,
      },
      { signal: this.#signal, onBytes: (bytes) => this.onBytes(bytes) },
    );
    return {
      ...written,
      unnamedCount: this.#unnamedCount,
      directoryCount: this.#directoryCount,
      isCalm,
      digest: digest.finish(),
    };
  }

  /** In seconds. Directories above the source change all the time, and nothing depends on their times. */
  #newestOf(entries: readonly Surveyed[]): number {
    const { roots } = this.#survey;
    let newest = 0;
    for (const { path, changedAt } of entries) {
      if (changedAt > newest && roots.some((root) => isBelow(path, root))) newest = changedAt;
    }
    return newest;
  }

  /** As restic would list them. */
  async *#entriesOf(entries: readonly Surveyed[]): AsyncGenerator<ManifestEntry> {
    const pace = new Pace(this.#signal);
    for (const surveyed of entries) {
      if (pace.isLong()) await pace.rest();
      const { path, type, size, facts, ctimeNs } = surveyed;
      if (ctimeNs === null) throw new Error('the host reports whole seconds only');
      if (type === 'socket') continue;
      if (textOf(path)?.includes(GARBLED) !== false) {
        this.#unnamedCount += 1;
        continue;
      }
      if (type === 'directory') this.#directoryCount += 1;
      const { mtimeNs, mode, uid, gid } = facts;
      const isDevice = type === 'character-device' || type === 'block-device';
      // targets are read between two looks at the change time, as contents are
      yield { path, type, size, mtimeNs, ctimeNs, mode, uid, gid, ...(isDevice ? { device: 0 } : {}) };
    }
  }
}

const isCounted = (summary: ResticSummary, found: HostCounts): boolean =>
  summary.total_files_processed === found.regularCount &&
  summary.total_bytes_processed === found.totalBytes &&
  (summary.dirs_new ?? 0) + (summary.dirs_changed ?? 0) + (summary.dirs_unmodified ?? 0) ===
    found.directoryCount;

/** Whether a path is in one of the roots, or above it. */
const meets = (path: string, roots: Survey['roots']): boolean =>
  roots.some((root) => {
    const [a, b] = [`${bytesOfText(path)}/`, root === '/' ? root : `${root}/`];
    return a.startsWith(b) || b.startsWith(a);
  });
