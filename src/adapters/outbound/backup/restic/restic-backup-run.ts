import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import type { BackupRequest, TransferWatch } from '../../../../application/ports/backups/backup-engine.ts';
import type { NewSnapshot } from '../../../../domain/backups/snapshot.ts';
import { count } from '../../../../domain/base/count.ts';
import { formatBytes } from '../../../../domain/base/format-bytes.ts';
import type { Instant } from '../../../../domain/base/instant.ts';
import { toBuffer } from '../byte-string.ts';
import { excludePatterns } from '../exclude-rules.ts';
import { publishSnapshot } from '../publish-snapshot.ts';
import { remarks } from '../pull-order.ts';
import { removeTree } from '../received-files.ts';
import { quotedPaths } from '../restore-target.ts';
import { type Survey, startSurvey } from '../source-survey.ts';
import { makeDirectory } from '../store-directory.ts';
import { type SourcePlaces, snapshotPlaces } from '../store-layout.ts';
import { TransferProgress } from '../transfer-progress.ts';
import { ManifestAhead } from './restic-ahead.ts';
import { type FormerSnapshot, isUnchanged, listedFiles } from './restic-former.ts';
import { buildResticManifest, type ResticManifest } from './restic-manifest.ts';
import type { ResticSummary } from './restic-messages.ts';
import { type BegunRuns, tagOf, writeReference } from './restic-places.ts';
import type { ResticSession } from './restic-session.ts';
import { Complaints, type SourceOrder, STORED, type StoreSettings, store } from './restic-storing.ts';

/**
 * restic's `--exclude` for rsync patterns. Both anchor at a leading slash, match names at any depth otherwise, and
 * know `*`, `**`, `?` and `[…]`; they differ in the following.
 */
export function resticExcludes(source: {
  readonly patterns: readonly string[];
  readonly survey: Pick<Survey, 'roots' | 'moved'>;
  /** A repository on the host's own disk must not be backed up into itself. */
  readonly repositoryPath: string | null;
}): readonly string[] {
  const { patterns, survey, repositoryPath } = source;
  const all = excludePatterns({ patterns, roots: survey.roots, moved: survey.moved, store: repositoryPath });
  return all.map(resticPattern);
}

const resticPattern = (pattern: string): string =>
  pattern
    // `dir/***` is the directory with all below, which restic leaves out with the directory
    .replace(/\/\*\*\*$/, '')
    // a pattern for directories also excludes files of that name
    .replace(/(.)\/$/, '$1')
    // a leading exclamation mark would take back an exclusion
    .replace(/^!/, '[!]');

/** A file of the service's store that no host has: restic's sources are never the store. */
const NO_STORE = { file: '/nonexistent', content: '-' };

export const startResticSurvey = (
  request: Pick<BackupRequest, 'host' | 'source'>,
  signal: AbortSignal,
): Promise<Survey> => startSurvey(request, NO_STORE, signal, 'restic');

/** Logs what will be read, and returns restic's arguments. */
export async function orderFor(
  { source, extraExcludes = [] }: Pick<BackupRequest, 'source' | 'extraExcludes'>,
  surveying: Promise<Survey>,
  session: ResticSession,
  watch: Pick<TransferWatch, 'log'>,
): Promise<SourceOrder> {
  const survey = await surveying;
  const { kind, url, name } = session.restic.opened.repository;
  const repositoryPath = kind === 'local' ? url : null;
  const patterns = [...source.excludes, ...extraExcludes];
  const excludes = resticExcludes({ patterns, survey, repositoryPath });
  watch.log(`Reading ${quotedPaths(survey.roots)} on the host into "${name}" (restic ${survey.version}).`);
  for (const line of remarks(survey)) watch.log(line);
  const args = ['--json', '--files-from-raw', '-', ...excludes.map((pattern) => `--exclude=${pattern}`)];
  const input = Buffer.concat(survey.roots.flatMap((root) => [toBuffer(root), Buffer.alloc(1)]));
  return { survey, repositoryPath, args, input };
}

export interface RunSettings extends StoreSettings {
  readonly survey: Promise<Survey>;
  readonly places: SourcePlaces;
  readonly begun: BegunRuns;
  readonly former: FormerSnapshot | null;
  readonly now: () => Instant;
}

/**
 * One backup of one source. The repository has the snapshot before the service has published it: it carries the tag of
 * its run, which is noted first, so that a run that is cut off in between leaves nothing that passes for a backup.
 */
export async function runResticBackup(
  request: BackupRequest,
  settings: RunSettings,
  watch: TransferWatch,
): Promise<NewSnapshot> {
  const { source, jobId, startedAt } = request;
  const { session, places, begun } = settings;
  const progress = new TransferProgress(watch);
  progress.stage('Checking the source', null);
  const order = await orderFor(request, settings.survey, session, watch);
  if (request.distrusted?.length) {
    watch.log(
      'A snapshot of this source is damaged. restic does not store existing data again, even if it is damaged: verify this snapshot, and repair the repository with restic.',
    );
  }
  const run = randomUUID();
  await begun.add(run);
  progress.stage('Backing up', 0);
  const complaints = new Complaints();
  const { summary, manifest } = await storeAndDescribe(order, run, settings, complaints, {
    request,
    progress,
    signal: watch.signal,
  });
  const partial = snapshotPlaces(places.partial);
  tellManifest(manifest, watch);
  await writeReference(partial.directory, manifest.snapshotId);
  watch.signal.throwIfAborted();
  progress.stage('Publishing the snapshot', 99);
  const snapshot = await publishSnapshot(
    places,
    {
      serverId: source.serverId,
      sourceId: source.id,
      sourceName: source.name,
      jobId,
      engine: 'restic',
      startedAt,
      finishedAt: settings.now(),
      fileCount: manifest.fileCount,
      totalBytes: manifest.totalBytes,
      transferredBytes: summary.data_added,
      vanishedCount: complaints.vanishedCount,
      manifestSha256: manifest.sha256,
    },
    // restic keeps them anyway
    { roots: order.survey.roots, attributes: true },
  );
  await begun.remove(run).catch(() => undefined);
  watch.log(
    `Snapshot ${snapshot.name} (${manifest.snapshotId.slice(0, 8)} in the repository) is complete: ${count(snapshot.fileCount, 'file')}, ${formatBytes(snapshot.totalBytes)}.`,
  );
  return snapshot;
}

async function storeAndDescribe(
  order: SourceOrder,
  run: string,
  settings: RunSettings,
  complaints: Complaints,
  {
    request,
    progress,
    signal,
  }: {
    readonly request: BackupRequest;
    readonly progress: TransferProgress;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly summary: ResticSummary; readonly manifest: ResticManifest }> {
  const { session, places, former } = settings;
  const partial = snapshotPlaces(places.partial);
  // restic derives its key meanwhile
  const reading = former?.id ? listedFiles(former, signal) : null;
  reading?.catch(() => undefined);
  const ready = emptyDirectory(places.partial);
  const ahead = new ManifestAhead(request, { ...order, places: partial, former, ready }, signal);
  try {
    const [{ summary, parent }] = await Promise.all([
      store(order, run, settings, complaints, progress),
      ready,
    ]);
    const stage = 'Writing the manifest';
    progress.stage(stage, STORED);
    const onBytes = (bytes: number): void =>
      progress.bytes(stage, bytes, summary.total_bytes_processed, STORED, 99);
    ahead.onBytes = onBytes;
    const listed = parent === null ? null : await reading;
    const isWhole = complaints.vanishedCount === 0;
    const isSame = isWhole && listed !== null && isUnchanged(summary, order.survey.roots, listed);
    if (!isSame) ahead.onChanges();
    const manifest =
      (isSame && former ? await takeOver(former, listed, summary, settings) : null) ??
      (isWhole ? await takeAhead(ahead, summary, settings) : null) ??
      (await buildResticManifest(
        session.restic,
        tagOf(run),
        partial,
        (await ahead.hashes()) ?? former?.places.manifest ?? null,
        { signal, onBytes },
      ));
    return { summary, manifest };
  } finally {
    await ahead.stop();
  }
}

async function emptyDirectory(path: string): Promise<void> {
  await removeTree(path);
  await makeDirectory(path);
}

/** The previous manifest for a snapshot with the same files; `null` if the host does not report that snapshot. */
async function takeOver(
  former: FormerSnapshot,
  listed: { readonly fileCount: number; readonly totalBytes: number },
  summary: ResticSummary,
  { session, places }: RunSettings,
): Promise<ResticManifest | null> {
  const snapshotId = summary.snapshot_id ? await session.restic.wholeId(summary.snapshot_id) : null;
  if (snapshotId === null) return null;
  await copyFile(former.places.manifest, snapshotPlaces(places.partial).manifest, constants.COPYFILE_EXCL);
  const { fileCount, totalBytes } = listed;
  const sha256 = former.manifestSha256;
  return { snapshotId, sha256, fileCount, totalBytes, unnamedCount: 0, unhashedCount: 0 };
}

/** The manifest that was written while restic read the source; `null` if it may be of something else. */
async function takeAhead(
  ahead: ManifestAhead,
  summary: ResticSummary,
  { session, places }: RunSettings,
): Promise<ResticManifest | null> {
  const snapshotId = summary.snapshot_id ? await session.restic.wholeId(summary.snapshot_id) : null;
  if (snapshotId === null) return null;
  const made = await ahead.moveTo(snapshotPlaces(places.partial).manifest, summary);
  return made && { ...made, snapshotId };
}

function tellManifest(
  { unnamedCount, unhashedCount }: { readonly unnamedCount: number; readonly unhashedCount: number },
  watch: TransferWatch,
): void {
  if (unnamedCount > 0) {
    watch.log(
      `${count(unnamedCount, 'name')} in the snapshot are not UTF-8: they are restored only with the whole snapshot, and not compared.`,
    );
  }
  if (unhashedCount > 0) {
    watch.log(
      `${count(unhashedCount, 'file')} changed during the backup: their content is verified only by restic.`,
    );
  }
}
