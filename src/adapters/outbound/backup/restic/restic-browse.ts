import { Readable } from 'node:stream';
import {
  type BrowseRequest,
  MAX_BROWSED,
  type SnapshotBrowser,
  type SnapshotListing,
} from '../../../../application/ports/backups/snapshot-browser.ts';
import type { JailEntry } from '../../../../application/ports/files/jail-fs.ts';
import type { HostProcess } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import type { PageRequest } from '../../../../domain/base/page.ts';
import type { JailPath } from '../../../../domain/files/jail-path.ts';
import { linkInSnapshot, noDirectory, noFile, notInSnapshot } from '../browse-refusals.ts';
import { readLines } from '../rsync-lines.ts';
import { lastWords, repositoryFault } from './restic-faults.ts';
import { listedOf, nanoseconds, type ResticNode } from './restic-messages.ts';
import type { ResticSession } from './restic-session.ts';

/** restic replaces invalid UTF-8 with this for each byte; such a name cannot be looked up. */
const GARBLED = '\ufffd';
const NO_TEXT = 0xff;
const MAX_REPORTED = 4_096;
const MILLISECOND = 1_000_000n;

const KINDS: Readonly<Record<string, JailEntry['kind']>> = { file: 'file', dir: 'dir', symlink: 'link' };

/** A snapshot of a repository, by restic's own id. */
export interface SnapshotSession {
  readonly session: ResticSession;
  readonly id: string;
}

/** A window of a directory, from `restic ls`; restic follows no link in a snapshot. */
export async function listRestic(
  browsed: SnapshotSession,
  { path }: Pick<BrowseRequest, 'path'>,
  { offset, limit }: PageRequest,
): Promise<SnapshotListing> {
  const { self, inside } = await look(browsed, path);
  if (!path.isRoot) {
    if (!self) throw await whyMissing(browsed, path);
    if (self.type === 'symlink') throw linkInSnapshot(path);
    if (self.type !== 'dir') throw noDirectory(path);
  }
  const entries = inside.map(entryOf).sort((one, other) => one.name.compare(other.name));
  return { entries: entries.slice(offset, offset + limit), total: entries.length };
}

/** A file, as `restic dump` gives it. */
export async function readFromRestic(
  browsed: SnapshotSession,
  { path, signal }: Pick<BrowseRequest, 'path' | 'signal'>,
): ReturnType<SnapshotBrowser['read']> {
  const { self } = path.isRoot ? { self: undefined } : await look(browsed, path);
  if (!self && !path.isRoot) throw await whyMissing(browsed, path);
  if (self?.type === 'symlink') throw linkInSnapshot(path);
  if (self?.type !== 'file') throw noFile(path);
  const { restic } = browsed.session;
  const process = await restic.start({ args: ['dump', browsed.id, self.path] });
  let said = '';
  const listening = readLines(process.stderr, (line) => {
    said = `${said}${line}\n`.slice(-MAX_REPORTED);
  });
  // no listener is left if the content is not read to its end
  listening.catch(() => undefined);
  const size = self.size ?? 0;
  const content = Readable.from(
    whole(process, size, async () => {
      const [{ exitCode }] = await Promise.all([process.exit, listening]);
      return exitCode === 0 ? null : repositoryFault(restic.opened, { exitCode, said: said.trim() });
    }),
    { objectMode: false, signal },
  );
  // a generator that was never started does not close its source
  content.once('close', () => process.kill());
  return { size, sha256: null, content };
}

/** The last piece is held back until restic reports success, so that a part is never taken for the whole. */
async function* whole(
  { stdout }: HostProcess,
  size: number,
  fault: () => Promise<DomainError | null>,
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  let held: Uint8Array | null = null;
  for await (const piece of stdout as AsyncIterable<Uint8Array>) {
    if (held !== null) yield held;
    sent += piece.length;
    held = piece;
  }
  const failed = await fault();
  if (failed !== null) throw failed;
  if (sent !== size) throw new DomainError('snapshot_damaged', `restic returned ${sent} of ${size} bytes.`);
  if (held !== null) yield held;
}

interface DirectoryLook {
  readonly self: ResticNode | undefined;
  readonly inside: readonly ResticNode[];
}

/** The entry of the path, and its direct contents. */
async function look({ session, id }: SnapshotSession, path: JailPath): Promise<DirectoryLook> {
  const wanted = `/${String(path)}`;
  const below = path.isRoot ? '/' : `${wanted}/`;
  let self: ResticNode | undefined;
  const inside: ResticNode[] = [];
  const end = await session.run({
    args: ['ls', '--json', id, wanted],
    onLine: (line) => {
      if (!line.startsWith('{') || inside.length === MAX_BROWSED) return;
      const listed = listedOf(line);
      if (listed.struct_type !== 'node') return;
      if (listed.path === wanted) self = listed;
      else if (listed.path.startsWith(below) && !listed.path.includes('/', below.length)) inside.push(listed);
    },
  });
  if (end.exitCode === 0) return { self, inside };
  if (/no matching ID|could not find|snapshot .{1,200} not found/i.test(end.said)) {
    throw new DomainError(
      'snapshot_damaged',
      `The repository no longer has the snapshot: ${lastWords(end)}.`,
    );
  }
  throw repositoryFault(session.restic.opened, end);
}

/** restic reports nothing for a path below a link or a file: check the parents to find which it is. */
async function whyMissing(browsed: SnapshotSession, path: JailPath): Promise<DomainError> {
  for (let place = path; !place.isRoot; ) {
    place = place.entry.directory;
    if (place.isRoot) break;
    const { self } = await look(browsed, place);
    if (self?.type === 'symlink') return linkInSnapshot(path);
    if (self && self.type !== 'dir') return noDirectory(path);
    if (self) break;
  }
  return notInSnapshot(path);
}

function entryOf({ path, type, size, mtime }: ResticNode): JailEntry & { readonly name: Buffer } {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return {
    name: name.includes(GARBLED) ? bytesOf(name) : Buffer.from(name),
    kind: KINDS[type] ?? 'other',
    size: type === 'file' ? (size ?? 0) : 0,
    modifiedAt: Number(nanoseconds(mtime) / MILLISECOND),
  };
}

/** Invalid bytes, marked so that the name is not taken for a valid one. */
const bytesOf = (name: string): Buffer =>
  Buffer.concat(
    name
      .split(GARBLED)
      .flatMap((part, index) => [...(index === 0 ? [] : [Buffer.of(NO_TEXT)]), Buffer.from(part)]),
  );
