import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { ByteString } from './byte-string.ts';
import type { FormerSnapshot, Planned } from './comparison.ts';
import { fetchDifferences } from './fetch-differences.ts';
import { pathBelow } from './file-tree.ts';
import { attributesOf, type FetchOrder, fetchFrom, fetchRest } from './host-fetch.ts';
import { lookAgain } from './look-again.ts';
import { makeSpecialFiles } from './make-special-files.ts';
import type { SourceOrder } from './pull-order.ts';
import type { ReadMember, TarReader } from './tar-reader.ts';
import { unreadable } from './transfer-words.ts';
import { joinName, Pace } from './tree-clone.ts';
import { type Written, writeFrom, writeMember } from './tree-content.ts';
import { memberOf, TreeWriters } from './tree-writer.ts';
import { type Received, takeOver } from './use-received.ts';

/** A file that changes while it is read usually holds still for the next look. */
const MAX_ATTEMPTS = 2;

export interface TransferSettings {
  readonly order: SourceOrder;
  readonly planned: readonly Planned[];
  /** Directories with changed contents: their times have to be restored. */
  readonly touched: ReadonlySet<ByteString>;
  readonly former: FormerSnapshot | null;
  /** The target for the snapshot's files. */
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
  /** Why the store lacks some attributes; `null` if it has all. */
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
    const stillWanted = (): readonly Planned[] => wanted.filter((each) => !arrived.has(each));
    if (wanted.length + copies.length + made.length === 0) return arrived;
    await this.#writing(async (writer) => {
      for (const each of copies) await this.#copy(writer, each);
      for (const each of wanted) if (await this.#goOn(writer, each)) arrived.add(each);
      await this.#fetchDifferences(stillWanted(), arrived);
      await this.#fetch(writer, stillWanted(), arrived);
      await makeSpecialFiles(writer, made, this.#settings);
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
    const records = await attributesOf(this.#fetchOrder, each.path);
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

  async #fetchDifferences(wanted: readonly Planned[], arrived: Set<Planned>): Promise<void> {
    const before = this.#literalBytes;
    const found = await fetchDifferences(this.#settings, wanted, (bytes) =>
      this.#settings.onBytes(before + bytes),
    );
    for (const each of found.arrived) arrived.add(each);
    this.#literalBytes += found.literalBytes;
    this.#files += found.arrived.length;
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

  /** Returns files that changed while they were read. */
  async #lookAgain(wanted: readonly Planned[], arrived: ReadonlySet<Planned>): Promise<readonly Planned[]> {
    const { order, signal } = this.#settings;
    const { changed, missing } = await lookAgain(order, wanted, arrived, signal);
    const unread = missing.filter(({ isThere }) => isThere).map(({ planned }) => planned);
    if (unread.length > 0) throw unreadable(unread, this.#complaints);
    for (const { planned } of missing) this.#lose(planned);
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

  /** Last of all: creating something in a directory changes its times. Deepest first, for the same reason. */
  async #directories(): Promise<void> {
    const directories = this.#directoriesToSet();
    if (directories.length === 0) return;
    await this.#writing(async (writer) => {
      for (const { entry, path } of directories.toReversed()) {
        const records = this.#records.get(path);
        const member = memberOf(entry, 'directory');
        await writer.attributed().header(records ? { ...member, records } : member);
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
