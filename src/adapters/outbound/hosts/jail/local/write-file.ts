import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fchmodSync, fchownSync, fsync, renameSync, type Stats, unlinkSync, write } from 'node:fs';
import { promisify } from 'node:util';
import type {
  FileVersion,
  WriteOptions,
  WriteResult,
} from '../../../../../application/ports/files/jail-fs.ts';
import type { JailPath } from '../../../../../domain/files/jail-path.ts';
import type { CommitLocks } from '../commit-locks.ts';
import { partName } from '../part-name.ts';
import { changed, exists, failed, movedAway, notKept, specialMode, tooLarge } from '../refusals.ts';
import type { Descriptor } from './descriptor.ts';
import { addName, isThere } from './entries.ts';
import { assertMayCome, assertNotKeptOut, type KeptOut } from './kept-out.ts';
import { assertPlainFile, hashFile } from './open-file.ts';
import { sweepParts } from './sweep-parts.ts';
import { codeOf } from './system-errors.ts';

const writeTo = promisify(write);
const sync = promisify(fsync);

/** How often to retry a file that changes while it is hashed. */
const MAX_READS = 5;

/** The writer: shared by all writes of this process. */
export interface LocalWriter {
  /** This process, as `partName` has it. */
  readonly name: string;
  /** 32 hex digits, new at each call. */
  readonly random: () => string;
  readonly isDead: (writer: string) => boolean;
  readonly now: () => number;
  readonly locks: CommitLocks;
}

interface FileWrite {
  readonly place: Descriptor;
  readonly path: JailPath;
  readonly content: AsyncIterable<Uint8Array>;
  readonly options: WriteOptions;
  readonly kept: KeptOut;
  readonly writer: LocalWriter;
  readonly signal: AbortSignal | undefined;
}

/** Writes beside the file, then replaces it in one step. */
export async function writeFile(writing: FileWrite): Promise<WriteResult> {
  const { place, path, writer, options, kept } = writing;
  const { name } = path.entry;
  assertMayCome(kept, place, name, path);
  await sweepParts(place, writer);
  const former = formerOf(place, name, path, kept);
  former?.entry.close();
  if (options.expect === 'absent' && former) throw exists(path);
  const partial = partName(writer.name, writer.random());
  // the new file must not be more readable than the one it replaces
  const part = place.create(partial, former ? 0o600 : 0o666);
  try {
    const content = await receive(part, writing);
    const { dev, ino } = place.stat();
    const before = await writer.locks.hold(`${dev}:${ino}:${name}`, () =>
      commitAlone(part, partial, writing),
    );
    return { ...content, before };
  } catch (error) {
    // already renamed if it has replaced the file
    if (isThere(place, partial)) unlinkSync(place.at(partial));
    throw error;
  } finally {
    part.close();
  }
}

async function receive(
  part: Descriptor,
  { content, options, path, signal }: FileWrite,
): Promise<{ readonly size: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of content) {
    signal?.throwIfAborted();
    if (size + chunk.length > options.most) throw tooLarge(path, options.most);
    hash.update(chunk);
    for (let done = 0; done < chunk.length; ) {
      const { bytesWritten } = await writeTo(part.fd, chunk, done, chunk.length - done, size + done);
      done += bytesWritten;
    }
    size += chunk.length;
  }
  await sync(part.fd);
  return { size, sha256: hash.digest('hex') };
}

/** While no other write, of whatever process, is at it in this directory. */
async function commitAlone(
  part: Descriptor,
  partial: string,
  writing: FileWrite,
): Promise<FileVersion | null> {
  const directory = writing.place.readable();
  try {
    const lock = await lockDirectory(directory);
    if (lock === 'taken' && writing.options.expect !== 'any') {
      throw failed(writing.path, 'its directory is locked by another program');
    }
    const before = await commit(part, partial, writing);
    await syncDirectory(directory);
    return before;
  } finally {
    directory.close();
  }
}

async function commit(part: Descriptor, partial: string, writing: FileWrite): Promise<FileVersion | null> {
  const { place, path, options, kept, signal } = writing;
  const { name } = path.entry;
  for (let looks = 0; looks < MAX_READS; looks += 1) {
    signal?.throwIfAborted();
    const former = formerOf(place, name, path, kept);
    if (!former) {
      if (typeof options.expect === 'object') throw changed(path);
      assertOurs(place, partial, part, path);
      putNew(place, partial, path, options);
      return null;
    }
    try {
      if (options.expect === 'absent') throw exists(path);
      const before = await versionOf(former, options);
      if (typeof options.expect === 'object' && before.sha256 !== options.expect.sha256) throw changed(path);
      keepOwner(part, former.stats, path);
      // from here to the rename nothing is waited for
      if (!isSame(place, name, former)) continue;
      assertOurs(place, partial, part, path);
      renameSync(place.at(partial), place.at(name));
      return before;
    } finally {
      former.entry.close();
    }
  }
  throw typeof options.expect === 'object' ? changed(path) : failed(path, 'it keeps changing');
}

interface Former {
  readonly entry: Descriptor;
  readonly stats: Stats;
}

/** The current file of the name, held open: a plain file, or nothing. */
function formerOf(place: Descriptor, name: string, path: JailPath, kept: KeptOut): Former | null {
  let entry: Descriptor;
  try {
    entry = place.entry(name);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const stats = entry.stat();
    assertNotKeptOut(kept, entry, path);
    assertPlainFile(stats, path);
    if ((stats.mode & 0o7000) !== 0) throw specialMode(path);
    return { entry, stats };
  } catch (error) {
    entry.close();
    throw error;
  }
}

async function versionOf({ entry, stats }: Former, { expect, most }: WriteOptions): Promise<FileVersion> {
  const { size } = stats;
  if (size > most && typeof expect !== 'object') return { size, sha256: null };
  const file = entry.readable();
  try {
    return { size, sha256: await hashFile(file, size) };
  } finally {
    file.close();
  }
}

function isSame(place: Descriptor, name: string, { stats }: Former): boolean {
  if (!isThere(place, name)) return false;
  const now = place.entry(name);
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = now.stat();
    return (
      dev === stats.dev &&
      ino === stats.ino &&
      size === stats.size &&
      mtimeMs === stats.mtimeMs &&
      ctimeMs === stats.ctimeMs
    );
  } finally {
    now.close();
  }
}

function keepOwner(part: Descriptor, former: Stats, path: JailPath): void {
  const mode = former.mode & 0o777;
  try {
    const own = part.stat();
    if (own.uid !== former.uid || own.gid !== former.gid) fchownSync(part.fd, former.uid, former.gid);
    // after the owner, whose change may remove permissions
    fchmodSync(part.fd, mode);
  } catch (error) {
    if (codeOf(error) === 'EPERM' || codeOf(error) === 'EINVAL') throw notKept(path);
    throw error;
  }
}

/** Anyone who can change the directory could have replaced the written file. */
function assertOurs(place: Descriptor, partial: string, part: Descriptor, path: JailPath): void {
  const own = part.stat();
  if (isThere(place, partial)) {
    const entry = place.entry(partial);
    const { dev, ino } = entry.stat();
    entry.close();
    if (dev === own.dev && ino === own.ino && own.nlink === 1) return;
  }
  throw movedAway(path);
}

/**
 * A rename would replace a file that appeared in the meantime; a link, for the case without replacement, does not.
 */
function putNew(place: Descriptor, partial: string, path: JailPath, { expect }: WriteOptions): void {
  const { name } = path.entry;
  if (expect === 'absent' && addName(place, partial, name, path)) unlinkSync(place.at(partial));
  else renameSync(place.at(partial), place.at(name));
}

/** Without this a power cut could undo the rename. Some file systems sync no directories. */
async function syncDirectory(directory: Descriptor): Promise<void> {
  await sync(directory.fd).catch((error: unknown) => {
    if (codeOf(error) !== 'EINVAL') throw error;
  });
}

/** Paths of flock(1) in util-linux and busybox. */
const PATH = '/usr/local/bin:/usr/bin:/bin';
/** For a writer that compares a large file. Seconds. */
const PATIENCE = 10;
/** flock(1)'s exit code if another process held the lock all the time. */
const TAKEN = 1;

/**
 * Locks an open directory against the writes of other processes until it is closed, as the helper on hosts does. Node
 * has no flock(2), but a lock belongs to the open file, which a child shares. `taken`: another process held it all
 * the time; `none`: not supported here.
 */
async function lockDirectory(directory: Descriptor): Promise<'held' | 'taken' | 'none'> {
  const child = spawn('flock', ['-w', String(PATIENCE), '3'], {
    stdio: ['ignore', 'ignore', 'ignore', directory.fd],
    env: { PATH },
  });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code === 0) return 'held';
    return code === TAKEN ? 'taken' : 'none';
  } catch {
    return 'none';
  }
}
