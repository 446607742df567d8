import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { ByteString } from './byte-string.ts';
import type { Planned } from './comparison.ts';
import { fetchDifferences } from './fetch-differences.ts';
import { pathBelow } from './file-tree.ts';
import type { FormerSnapshot } from './former-snapshot.ts';
import { attributesOf, type FetchOrder, fetchFrom, fetchRest } from './host-fetch.ts';
import { lookAgain } from './look-again.ts';
import { makeSpecialFiles } from './make-special-files.ts';
import { Pace } from './pace.ts';
import type { SourceOrder } from './pull-order.ts';
import type { ReadMember, TarReader } from './tar-reader.ts';
import { unreadable } from './transfer-words.ts';
import { joinName } from './tree-clone.ts';
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
  /** Whether files with holes are to come. */
  readonly holes: boolean;
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
    const { order, signal } = settings;
    this.#settings = settings;
    this.#fetchOrder = {
      host: order.host,
      isGnu: order.isGnu,
      attributes: order.attributes,
      holes: settings.holes,
      signal,
    };
  }

  /**
   * `describe` starts as soon as all data is here, while the host is asked whether it is still the same; it is called
   * again if not.
   */
  async execute<T>(describe: () => Promise<T>): Promise<Transferred & { readonly described: T }> {
    const { planned } = this.#settings;
    const copies = planned.filter(({ action }) => action === 'copy');
    const made = planned.filter(({ action, entry }) => action === 'make' && entry.type !== 'directory');
    let wanted = planned.filter(({ action }) => action === 'fetch');
    let described: PromiseSettledResult<T> | undefined;
    for (let attempt = 1; wanted.length > 0 || attempt === 1; attempt += 1) {
      const isFirst = attempt === 1;
      if (!isFirst)
        for (const { path } of wanted) rmSync(pathBelow(this.#settings.files, path), { force: true });
      await this.#round(wanted, isFirst ? copies : [], isFirst ? made : []);
      await this.#join();
      await this.#directories();
      const [looked, describing] = await Promise.allSettled([this.#lookAgain(wanted), describe()]);
      if (looked.status === 'rejected') throw looked.reason;
      const { changed, isSteady } = looked.value;
      const rotten = isFirst ? copies.filter(({ action }) => action === 'fetch') : [];
      wanted = attempt < MAX_ATTEMPTS ? [...changed, ...rotten] : rotten;
      if (attempt >= MAX_ATTEMPTS) this.#settle(changed);
      described = isSteady && rotten.length === 0 ? describing : undefined;
    }
    if (described?.status === 'rejected') throw described.reason;
    return {
      described: described ? described.value : await describe(),
      literalBytes: this.#literalBytes,
      files: this.#files,
      vanished: this.#vanished,
      unsteady: this.#unsteady,
      lostAttributes: this.#lostAttributes,
    };
  }

  /** What came has its sum afterwards. */
  async #round(
    wanted: readonly Planned[],
    copies: readonly Planned[],
    made: readonly Planned[],
  ): Promise<void> {
    const stillWanted = (): readonly Planned[] => wanted.filter(({ sha256 }) => sha256 === undefined);
    for (const each of wanted) each.sha256 = undefined;
    if (wanted.length + copies.length + made.length === 0) return;
    await this.#writing(async (writer) => {
      for (const each of copies) await this.#copy(writer, each);
      if (this.#settings.received.size > 0) for (const each of wanted) await this.#goOn(writer, each);
      await this.#fetchDifferences(stillWanted());
      await this.#fetch(writer, stillWanted());
      await makeSpecialFiles(writer, made, this.#settings);
    });
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
  async #goOn(writer: TreeWriters, each: Planned): Promise<void> {
    const received = this.#settings.received.get(each);
    if (!received) return;
    const { files } = this.#settings;
    if (received.isFinished) {
      takeOver(files, each, received);
      each.sha256 = received.sha256;
      return;
    }
    const records = await attributesOf(this.#fetchOrder, each.path);
    const { size } = each.entry;
    if (received.bytes === size) {
      this.#written(each, await writeFrom(writer.for(records), each.entry, received, size, { records }));
      return;
    }
    const part = { offset: received.bytes, bytes: size - received.bytes };
    await fetchRest(this.#fetchOrder, each.path, part, async (sent) => {
      const rest = this.#heard(sent);
      const written = await writeFrom(writer.for(records), each.entry, received, size, { records, rest });
      if (!written.isShort) this.#written(each, written);
    });
  }

  async *#heard(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = this.#literalBytes;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      this.#settings.onBytes(bytes);
      yield chunk;
    }
  }

  async #fetchDifferences(wanted: readonly Planned[]): Promise<void> {
    const before = this.#literalBytes;
    const found = await fetchDifferences(this.#settings, wanted, (bytes) =>
      this.#settings.onBytes(before + bytes),
    );
    this.#literalBytes += found.literalBytes;
    this.#files += found.files;
  }

  async #fetch(writer: TreeWriters, wanted: readonly Planned[]): Promise<void> {
    const directories = this.#fetchOrder.attributes ? this.#directoriesToSet().filter(isOnHost) : [];
    const paths = [...wanted, ...directories].map(({ path }) => path);
    if (paths.length === 0) return;
    const { lines } = await fetchFrom(this.#fetchOrder, paths, (index, member, reader) => {
      const each = wanted[index];
      const directory = directories[index - wanted.length];
      if (directory && member.isDirectory && member.records.size > 0)
        this.#records.set(directory.path, member.records);
      if (!each || !member.isFile) return;
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

  /** Returns files that changed while they were read, and whether nothing changed at all. */
  async #lookAgain(
    wanted: readonly Planned[],
  ): Promise<{ readonly changed: readonly Planned[]; readonly isSteady: boolean }> {
    const { order, signal } = this.#settings;
    const { changed, missing, isSteady } = await lookAgain(order, wanted, signal);
    const unread = missing.filter(({ isThere }) => isThere).map(({ planned }) => planned);
    if (unread.length > 0) throw unreadable(unread, this.#complaints);
    for (const { planned } of missing) this.#lose(planned);
    return { changed, isSteady };
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
