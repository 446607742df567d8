import { hash } from 'node:crypto';
import { realpathSync, renameSync, rmSync } from 'node:fs';
import { DomainError } from '../../../domain/base/errors.ts';
import type { ByteString } from './byte-string.ts';
import type { FormerSnapshot, Planned } from './comparison.ts';
import { hashFile } from './file-hash.ts';
import { lookAt, pathBelow } from './file-tree.ts';
import { type FetchOrder, fetchFrom, fetchRest, InOrder } from './host-fetch.ts';
import { claimed, closedPaths, look } from './host-survey.ts';
import { makeSocket } from './make-socket.ts';
import { pull } from './pull.ts';
import type { SourceOrder } from './pull-order.ts';
import { differencesBeside, removeTree } from './received-files.ts';
import { carrierTo } from './send-files.ts';
import { makeDirectory } from './store-directory.ts';
import { storeIsFull } from './store-space.ts';
import type { Surveyed } from './surveyed.ts';
import type { ReadMember, TarReader } from './tar-reader.ts';
import { joinName, Pace, parentOf, shownPath } from './tree-clone.ts';
import { deviceNumbers, type Written, writeFrom, writeMember } from './tree-content.ts';
import { memberOf, TreeWriters } from './tree-writer.ts';
import { type Received, takeOver } from './use-received.ts';

/** A file that changes while it is read usually holds still for the next look. */
const MAX_ATTEMPTS = 2;
const MAX_NAMED = 5;
/** From here on it pays to compare what is on both sides piece by piece. */
const MIN_DELTA_BYTES = 64 * 1024 * 1024;

export interface TransferSettings {
  readonly order: SourceOrder;
  readonly planned: readonly Planned[];
  /** Directories whose content is changed here: their times are to be set again. */
  readonly touched: ReadonlySet<ByteString>;
  readonly former: FormerSnapshot | null;
  /** Where the snapshot's files are made. */
  readonly files: string;
  readonly received: ReadonlyMap<Planned, Received>;
  readonly lockFd: number;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

export interface Transferred {
  /** Content that came from the host. */
  readonly literalBytes: number;
  readonly files: number;
  readonly vanished: readonly ByteString[];
  /** Files that changed while they were read, and did so again. */
  readonly unsteady: readonly ByteString[];
  /** Why the store does not have all attributes; `null` where it has. */
  readonly lostAttributes: string | null;
}

/** Brings everything of a plan into the snapshot's files that is not there yet. */
export class Transfer {
  readonly #settings: TransferSettings;
  readonly #fetchOrder: FetchOrder;
  readonly #records = new Map<ByteString, ReadonlyMap<string, Buffer>>();
  readonly #vanished: ByteString[] = [];
  readonly #unsteady: ByteString[] = [];
  #complaints: readonly string[] = [];
  #literalBytes = 0;
  #files = 0;
  #lostAttributes: string | null = null;

  constructor(settings: TransferSettings) {
    const { order, planned, signal } = settings;
    this.#settings = settings;
    this.#fetchOrder = {
      host: order.host,
      isGnu: order.isGnu,
      attributes: order.attributes,
      holes: planned.some(({ action, entry }) => action === 'fetch' && entry.allocated < entry.size),
      signal,
    };
  }

  async execute(): Promise<Transferred> {
    const { planned } = this.#settings;
    const copies = planned.filter(({ action }) => action === 'copy');
    const made = planned.filter(({ action, entry }) => action === 'make' && entry.type !== 'directory');
    let wanted = planned.filter(({ action }) => action === 'fetch');
    for (let attempt = 1; ; attempt += 1) {
      const isFirst = attempt === 1;
      const arrived = await this.#round(wanted, isFirst ? copies : [], isFirst ? made : []);
      const changed = await this.#lookAgain(wanted, arrived);
      const rotten = isFirst ? copies.filter(({ action }) => action === 'fetch') : [];
      wanted = attempt < MAX_ATTEMPTS ? [...changed, ...rotten] : rotten;
      if (attempt >= MAX_ATTEMPTS) this.#settle(changed);
      if (wanted.length === 0) break;
      for (const { path } of wanted) rmSync(pathBelow(this.#settings.files, path), { force: true });
    }
    await this.#join();
    await this.#directories();
    return {
      literalBytes: this.#literalBytes,
      files: this.#files,
      vanished: this.#vanished,
      unsteady: this.#unsteady,
      lostAttributes: this.#lostAttributes,
    };
  }

  /** Returns which files came. */
  async #round(
    wanted: readonly Planned[],
    copies: readonly Planned[],
    made: readonly Planned[],
  ): Promise<ReadonlySet<Planned>> {
    const arrived = new Set<Planned>();
    if (wanted.length + copies.length + made.length === 0) return arrived;
    await this.#writing(async (writer) => {
      for (const each of copies) await this.#copy(writer, each);
      for (const each of wanted) if (await this.#goOn(writer, each)) arrived.add(each);
      for (const each of await this.#fetchDifferences(wanted.filter((one) => !arrived.has(one))))
        arrived.add(each);
      await this.#fetch(
        writer,
        wanted.filter((each) => !arrived.has(each)),
        arrived,
      );
      await this.#make(writer, made);
    });
    return arrived;
  }

  async #writing(work: (writer: TreeWriters) => Promise<void>): Promise<void> {
    const { files, order, lockFd, signal } = this.#settings;
    const writer = new TreeWriters(files, {
      isExact: order.isGnuHere,
      attributes: order.attributes,
      lockFd,
      signal,
    });
    try {
      await work(writer);
      const { lostAttributes } = await writer.finish();
      this.#lostAttributes ??= lostAttributes;
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  }

  async #copy(writer: TreeWriters, each: Planned): Promise<void> {
    const { former } = this.#settings;
    if (!former) return;
    const { size } = each.entry;
    const place = pathBelow(former.places.files, each.path);
    const { sha256 } = await writeFrom(writer.plain(), each.entry, { place, bytes: size }, size, {});
    // the store's own file may be damaged
    if (sha256 !== each.sha256) each.action = 'fetch';
  }

  /** Uses what an interrupted run had received. */
  async #goOn(writer: TreeWriters, each: Planned): Promise<boolean> {
    const received = this.#settings.received.get(each);
    if (!received) return false;
    const { files } = this.#settings;
    if (received.isFinished) {
      takeOver(files, each, received);
      each.sha256 = received.sha256;
      return true;
    }
    const records = await this.#attributesOf(each.path);
    const { size } = each.entry;
    if (received.bytes === size) {
      this.#written(each, await writeFrom(writer.for(records), each.entry, received, size, { records }));
      return true;
    }
    let isWhole = false;
    const part = { offset: received.bytes, bytes: size - received.bytes };
    await fetchRest(this.#fetchOrder, each.path, part, async (sent) => {
      const rest = this.#heard(sent);
      const written = await writeFrom(writer.for(records), each.entry, received, size, { records, rest });
      isWhole = !written.isShort;
      if (isWhole) this.#written(each, written);
    });
    return isWhole;
  }

  async *#heard(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = this.#literalBytes;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      this.#settings.onBytes(bytes);
      yield chunk;
    }
  }

  /** They come with a file's header; the content is not waited for. */
  async #attributesOf(path: ByteString): Promise<ReadonlyMap<string, Buffer>> {
    let records: ReadonlyMap<string, Buffer> = new Map();
    if (!this.#fetchOrder.attributes) return records;
    const enough = new Error('enough');
    await fetchFrom(this.#fetchOrder, [path], (_, member) => {
      records = member.records;
      throw enough;
    }).catch((error: unknown) => {
      if (error !== enough) throw error;
    });
    return records;
  }

  /** Of large files that are on both sides, where both have rsync. */
  async #fetchDifferences(wanted: readonly Planned[]): Promise<readonly Planned[]> {
    const { former, order, files, lockFd, signal, onBytes } = this.#settings;
    const large = wanted.filter(
      ({ entry, wasBytes }) =>
        entry.size >= MIN_DELTA_BYTES && wasBytes >= MIN_DELTA_BYTES && !entry.hasOtherNames,
    );
    if (!former || large.length === 0) return [];
    const carrier = await carrierTo(order.host, signal);
    if (carrier.name !== 'rsync' || carrier.attributes !== order.attributes) return [];
    // of its own: the host decides what rsync puts there
    const destination = differencesBeside(files);
    await makeDirectory(destination);
    const { stats, outcome } = await pull(
      {
        host: order.host,
        roots: large.map(({ path }) => `/${path}` as ByteString),
        attributes: order.attributes,
        linkDests: [former.places.files],
        destination,
        lockFd,
      },
      signal,
      (bytes) => onBytes(this.#literalBytes + bytes),
    );
    if (outcome === 'full') throw storeIsFull();
    const arrived: Planned[] = [];
    for (const each of large) {
      const place = pathBelow(destination, each.path);
      const stat = await lookAt(place);
      // what rsync could not read is left to tar, which says why
      if (!stat?.isFile() || !isWithoutLinks(destination, each.path)) continue;
      each.sha256 = await hashFile(place, Number(stat.size), undefined, signal);
      renameSync(place, pathBelow(files, each.path));
      arrived.push(each);
    }
    await removeTree(destination, signal);
    this.#literalBytes += stats.literalBytes;
    this.#files += arrived.length;
    return arrived;
  }

  async #fetch(writer: TreeWriters, wanted: readonly Planned[], arrived: Set<Planned>): Promise<void> {
    const directories = this.#fetchOrder.attributes ? this.#directoriesToSet().filter(isOnHost) : [];
    const paths = [...wanted, ...directories].map(({ path }) => path);
    if (paths.length === 0) return;
    const { lines } = await fetchFrom(this.#fetchOrder, paths, (index, member, reader) => {
      const each = wanted[index];
      const directory = directories[index - wanted.length];
      if (directory && member.isDirectory && member.records.size > 0)
        this.#records.set(directory.path, member.records);
      if (!each || !member.isFile) return;
      arrived.add(each);
      return this.#receive(writer, each, member, reader);
    });
    this.#complaints = lines;
  }

  #receive(writer: TreeWriters, each: Planned, member: ReadMember, reader: TarReader): void | Promise<void> {
    const content = member.pieces ? null : reader.whole();
    if (!content) return this.#receivePieces(writer, each, member, reader);
    const writing = writer.for(member.records).file(each.entry, content, member.records);
    this.#written(each, { sha256: hash('sha256', content), size: content.length, literal: content.length });
    return writing;
  }

  async #receivePieces(
    writer: TreeWriters,
    each: Planned,
    member: ReadMember,
    reader: TarReader,
  ): Promise<void> {
    const { signal, onBytes } = this.#settings;
    this.#written(
      each,
      await writeMember(writer.for(member.records), each, member, reader, {
        signal,
        onBytes: (bytes) => onBytes(this.#literalBytes + bytes),
      }),
    );
  }

  #written(each: Planned, { sha256, literal }: Written): void {
    each.sha256 = sha256;
    this.#literalBytes += literal;
    this.#files += 1;
    this.#settings.onBytes(this.#literalBytes);
  }

  async #make(writer: TreeWriters, made: readonly Planned[]): Promise<void> {
    const { order, files, signal } = this.#settings;
    const isRoot = process.geteuid?.() === 0;
    const isDevice = ({ entry }: Planned): boolean => entry.type.endsWith('-device');
    const devices = made.filter(isDevice);
    const numbers =
      devices.length > 0 && isRoot
        ? await deviceNumbers(
            order.host,
            devices.map(({ path }) => path),
            signal,
          )
        : [];
    for (const each of made) {
      const { entry } = each;
      const device = isDevice(each) ? numbers[devices.indexOf(each)] : undefined;
      if (isDevice(each) && !device) each.action = 'gone';
      else if (entry.type === 'socket') await makeSocket(pathBelow(files, entry.path), entry, signal);
      else if (entry.type === 'symlink' && entry.target !== undefined) {
        await writer.plain().header({ ...memberOf(entry, 'symlink'), target: entry.target });
      } else if (entry.type === 'fifo') await writer.plain().header(memberOf(entry, 'fifo'));
      else if (device && (entry.type === 'character-device' || entry.type === 'block-device')) {
        await writer.plain().header({ ...memberOf(entry, entry.type), device });
      }
    }
  }

  /** What the files are now that they were read. Returns those that are not what they were before. */
  async #lookAgain(wanted: readonly Planned[], arrived: ReadonlySet<Planned>): Promise<readonly Planned[]> {
    const { order, signal } = this.#settings;
    if (wanted.length === 0) return [];
    const changed: Planned[] = [];
    const unread: Planned[] = [];
    const judge = (each: Planned, entry: Surveyed | null): void => {
      if (!arrived.has(each)) {
        if (entry?.type === 'file') unread.push(each);
        else this.#lose(each);
      } else if (entry?.type === 'file' && entry.key !== each.entry.key) {
        each.entry = entry;
        changed.push(each);
      } else if (!entry) each.isSure = false;
    };
    const roots = order.roots.filter((root) => root !== '/').map((root) => root.slice(1) as ByteString);
    const asked = new InOrder([...roots, ...wanted.map(({ path }) => path)], (missing) => {
      const each = wanted[missing - roots.length];
      if (!each) throw wentAway(roots[missing] ?? ('' as ByteString));
      judge(each, null);
    });
    await look(
      order.host,
      closedPaths(asked.paths.map((path) => `/${path}` as ByteString)),
      signal,
      (facts, path, target) => {
        const each = wanted[asked.take(path.slice(1) as ByteString) - roots.length];
        if (!each) return;
        if (each.entry.isToldBy(facts)) judge(each, each.entry);
        else judge(each, claimed(facts, path, target));
      },
    );
    asked.finish();
    if (unread.length > 0) throw unreadable(unread, this.#complaints);
    return changed;
  }

  #lose(each: Planned): void {
    each.action = 'gone';
    this.#vanished.push(each.path);
  }

  /** They are kept as they were read last. One that was cut short while it was read is no copy of anything. */
  #settle(changed: readonly Planned[]): void {
    const cut = this.#complaints.find((line) => line.includes('shrank by') || line.includes('short read'));
    if (changed.length > 0 && cut !== undefined) throw unreadable(changed, [cut]);
    for (const each of changed) {
      each.isSure = false;
      this.#unsteady.push(each.path);
    }
  }

  async #join(): Promise<void> {
    const { planned, files, signal } = this.#settings;
    const pace = new Pace(signal);
    for (const each of planned) {
      if (pace.isLong()) await pace.rest();
      if (each.action !== 'join') continue;
      const joined = joinName(files, each);
      if (joined === null) this.#lose(each);
      else if (!joined && each.wasKept && each.leader?.action === 'keep') each.action = 'keep';
    }
  }

  /** The last of all: what is made in a directory changes its times. Deepest first, for the same reason. */
  async #directories(): Promise<void> {
    const directories = this.#directoriesToSet();
    if (directories.length === 0) return;
    await this.#writing(async (writer) => {
      for (const { entry, path } of directories.toReversed()) {
        const records = this.#records.get(path);
        await writer
          .attributed()
          .header({ ...memberOf(entry, 'directory'), ...(records ? { records } : {}) });
      }
    });
  }

  #directoriesToSet(): Planned[] {
    const { planned, touched } = this.#settings;
    return planned.filter(
      ({ action, entry, path }) => entry.type === 'directory' && (action === 'make' || touched.has(path)),
    );
  }
}

const isOnHost = ({ action }: Planned): boolean => action !== 'given';

/** The directories in which something is made or taken away. */
export function touchedBy(
  planned: readonly Planned[],
  stale: readonly ByteString[],
): ReadonlySet<ByteString> {
  const isChanged = ({ action, wasKept }: Planned): boolean =>
    action !== 'keep' && !(action === 'join' && wasKept);
  return new Set([...planned.filter(isChanged).map(({ path }) => parentOf(path)), ...stale.map(parentOf)]);
}

/** Whether a path leads where its name says. */
function isWithoutLinks(root: string, path: ByteString): boolean {
  const above = pathBelow(realpathSync(root), parentOf(path));
  return realpathSync(above, { encoding: 'buffer' }).equals(above);
}

const wentAway = (root: ByteString): DomainError =>
  new DomainError(
    'backup_failed',
    `${shownPath(root)} went away while it was read, so no snapshot was made.`,
  );

export function unreadable(files: readonly Planned[], complaints: readonly string[]): DomainError {
  const named = files.slice(0, MAX_NAMED).map(({ path }) => shownPath(path));
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : '';
  const said = complaints.length > 0 ? ` The host said: ${complaints.slice(0, MAX_NAMED).join('; ')}.` : '';
  return new DomainError(
    'backup_failed',
    `Some files could not be backed up, so no snapshot was made: ${named.join(', ')}${more}.${said} Let the service log in as root or through sudo, or exclude these files.`,
  );
}

export const namesOf = (paths: readonly ByteString[]): string =>
  `${paths
    .slice(0, MAX_NAMED)
    .map((path) => shownPath(path))
    .join(', ')}${paths.length > MAX_NAMED ? ', …' : ''}`;
