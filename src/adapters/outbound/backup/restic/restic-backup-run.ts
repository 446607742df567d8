import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import type { BackupRequest, TransferWatch } from '../../../../application/ports/backups/backup-engine.ts';
import type { NewSnapshot } from '../../../../domain/backups/snapshot.ts';
import { counted } from '../../../../domain/base/counted.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { formatBytes } from '../../../../domain/base/format-bytes.ts';
import type { Instant } from '../../../../domain/base/instant.ts';
import { bytesOfText, display, toBuffer } from '../byte-string.ts';
import { publishSnapshot } from '../publish-snapshot.ts';
import { remarks } from '../pull-order.ts';
import { removeTree } from '../received-files.ts';
import { type Survey, startSurvey } from '../source-survey.ts';
import { makeDirectory } from '../store-directory.ts';
import { type SourcePlaces, snapshotPlaces } from '../store-layout.ts';
import { TransferProgress } from '../transfer-progress.ts';
import { quotedPaths } from '../wording.ts';
import { resticExcludes } from './restic-excludes.ts';
import { isWithoutParent, repositoryFault } from './restic-faults.ts';
import { type FormerSnapshot, isUnchanged, listedFiles } from './restic-former.ts';
import type { ResticEnd } from './restic-host.ts';
import { buildResticManifest, type ResticManifest } from './restic-manifest.ts';
import { isVanished, messageOf, type ResticSummary } from './restic-messages.ts';
import { type BegunRuns, tagOf, writeReference } from './restic-places.ts';
import type { ResticSession } from './restic-session.ts';

/** restic's exit codes, see its manual, "Scripting". */
const INCOMPLETE = 3;
/** The part of the work, in percent, that is over when all is stored; the rest is for the manifest. */
const STORED = 80;
const MAX_NAMED = 5;
/** A file of the service's store that no host has: restic's sources are never the store. */
const NO_STORE = { file: '/nonexistent', content: '-' };

export interface SourceOrder {
  readonly survey: Survey;
  readonly args: readonly string[];
  /** The paths, each closed by a NUL. */
  readonly input: Buffer;
}

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
  const [survey] = await Promise.all([surveying, session.restic.check()]);
  const { kind, url, name } = session.restic.opened.repository;
  const excludes = resticExcludes({
    patterns: [...source.excludes, ...extraExcludes],
    survey,
    repositoryPath: kind === 'local' ? url : null,
  });
  watch.log(`Reading ${quotedPaths(survey.roots)} on the host into "${name}" (restic ${survey.version}).`);
  for (const line of remarks(survey)) watch.log(line);
  const args = ['--json', '--files-from-raw', '-', ...excludes.map((pattern) => `--exclude=${pattern}`)];
  const input = Buffer.concat(survey.roots.flatMap((root) => [toBuffer(root), Buffer.alloc(1)]));
  return { survey, args, input };
}

/** restic's messages: all counted, the first ones kept. */
class Complaints {
  vanishedCount = 0;
  faultCount = 0;
  readonly #first: string[] = [];

  readonly line = (line: string): void => {
    const message = messageOf(line);
    if (message?.message_type !== 'error') return;
    if (isVanished(message)) {
      this.vanishedCount += 1;
      return;
    }
    this.faultCount += 1;
    if (this.#first.length < MAX_NAMED) this.#first.push(`"${display(bytesOfText(message.item))}"`);
  };

  get text(): string {
    const more = this.faultCount - this.#first.length;
    return [...this.#first, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
  }
}

export interface RunSettings {
  readonly survey: Promise<Survey>;
  readonly session: ResticSession;
  readonly places: SourcePlaces;
  readonly begun: BegunRuns;
  readonly lock: string;
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
  const { session, places, begun, former } = settings;
  const progress = new TransferProgress(watch);
  progress.stage('Checking the source', null);
  const order = await orderFor(request, settings.survey, session, watch);
  if (request.distrusted?.length) {
    watch.log(
      'A snapshot of this source was found damaged. What the repository has, even if it is damaged, is not stored again: verify this snapshot, and repair the repository with restic itself.',
    );
  }
  const run = randomUUID();
  await begun.add(run);
  progress.stage('Backing up', 0);
  const complaints = new Complaints();
  // restic derives its key meanwhile
  const reading = former?.id ? listedFiles(former, watch.signal) : null;
  reading?.catch(() => undefined);
  const { summary, parent } = await store(order, run, settings, complaints, progress);
  progress.stage('Writing the manifest', STORED);
  await removeTree(places.partial);
  await makeDirectory(places.snapshots);
  await makeDirectory(places.partial);
  const partial = snapshotPlaces(places.partial);
  const listed = await reading;
  const isSame =
    listed !== null &&
    parent !== null &&
    complaints.vanishedCount === 0 &&
    isUnchanged(summary, order.survey.roots, listed);
  const manifest =
    (isSame && former ? await takeOver(former, listed, summary, settings) : null) ??
    (await buildResticManifest(session.restic, tagOf(run), partial, former?.places ?? null, {
      signal: watch.signal,
      onBytes: (bytes) =>
        progress.bytes('Writing the manifest', bytes, summary.total_bytes_processed, STORED, 99),
    }));
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
    `Snapshot ${snapshot.name} (${manifest.snapshotId.slice(0, 8)} in the repository) is published: ${counted(snapshot.fileCount, 'file')}, ${formatBytes(snapshot.totalBytes)}.`,
  );
  return snapshot;
}

async function store(
  order: SourceOrder,
  run: string,
  { session, lock, former }: RunSettings,
  complaints: Complaints,
  progress: TransferProgress,
): Promise<{ readonly summary: ResticSummary; readonly parent: string | null }> {
  let summary: ResticSummary | null = null;
  const attempt = (parent: string | null): Promise<ResticEnd> =>
    session.runAndInit({
      args: [
        'backup',
        '--tag',
        'drover',
        '--tag',
        tagOf(run),
        ...(parent === null ? [] : [`--parent=${parent}`]),
        ...order.args,
      ],
      input: order.input,
      lock,
      onLine: (line) => {
        const message = messageOf(line);
        if (message?.message_type === 'summary') summary = message;
        if (message?.message_type !== 'status') return;
        progress.bytes('Backing up', message.bytes_done ?? 0, message.total_bytes ?? 0, 0, STORED);
      },
      onComplaint: complaints.line,
    });
  let parent = former?.id ?? null;
  let end = await attempt(parent);
  if (parent !== null && isWithoutParent(end)) {
    parent = null;
    end = await attempt(parent);
  }
  if (complaints.faultCount > 0) throw unreadable(complaints);
  if (end.exitCode !== 0 && end.exitCode !== INCOMPLETE) throw repositoryFault(session.restic.opened, end);
  if (summary === null) throw new DomainError('backup_failed', 'restic ended without a result.');
  return { summary, parent };
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

function tellManifest(
  { unnamedCount, unhashedCount }: { readonly unnamedCount: number; readonly unhashedCount: number },
  watch: TransferWatch,
): void {
  if (unnamedCount > 0) {
    watch.log(
      `${counted(unnamedCount, 'name')} in the snapshot are no UTF-8: they are restored with everything, and not compared.`,
    );
  }
  if (unhashedCount > 0) {
    watch.log(
      `${counted(unhashedCount, 'file')} changed while the backup was made: what they hold is proved by restic alone.`,
    );
  }
}

const unreadable = (complaints: Complaints): DomainError =>
  new DomainError(
    'backup_failed',
    `Some files could not be backed up, so no snapshot was made: ${complaints.text}. Let the service log in as root or through sudo, or exclude these files.`,
  );
