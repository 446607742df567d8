import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import type { ByteString } from './byte-string.ts';
import { compareWalkOrder } from './byte-string.ts';
import { lookAt, pathBelow } from './file-tree.ts';
import { entryOfFormer, type FormerEntry, type FormerSnapshot, formerEntries } from './former-snapshot.ts';
import { isUnsure, sureKey } from './host-state.ts';
import type { HostListing } from './host-survey.ts';
import type { ManifestEntry } from './manifest-entry.ts';
import { Pace } from './pace.ts';
import { batchesOf } from './restore-check.ts';
import { type Surveyed, SurveyedFacts } from './surveyed.ts';
import { TargetCheck } from './target-check.ts';

/**
 * The action for a path: `keep`: unchanged since the previous snapshot; `fetch`: get the content from the host;
 * `copy`: content from the previous snapshot, metadata is new; `make`: has no content; `given`: the service already
 * has it; `join`: another name of the file `leader`; `gone`: it vanished in the meantime.
 */
export type Action = 'keep' | 'fetch' | 'copy' | 'make' | 'given' | 'join' | 'gone';

export interface Planned {
  readonly path: ByteString;
  /** Newer if it changed while it was read. */
  entry: Surveyed;
  action: Action;
  /** Hex, of a file whose content is known. */
  sha256: string | undefined;
  leader: Planned | undefined;
  /** Size of the file with this name in the previous snapshot; 0 if there is none. */
  wasBytes: number;
  /** For a joining name: the previous snapshot's entry is the same. */
  wasKept: boolean;
  /** The number of its line in the previous snapshot's manifest; negative if there is none. */
  line: number;
  /** That line, if it is unchanged and lines do not take too much memory yet. */
  text: ByteString | undefined;
  /** False if it changed while it was read: the next backup must not trust its times. */
  isSure: boolean;
}

export interface Comparison {
  /** In walk order. */
  readonly planned: readonly Planned[];
  /** Paths of the previous snapshot that conflict or no longer exist, without their contents. */
  readonly stale: readonly ByteString[];
  /** False if the previous snapshot has no manifest to compare with: nothing may be reused from it. */
  readonly isBuiltOn: boolean;
}

/** Directories, and everything that is not just kept: the work to do. */
export const openIn = ({ planned }: Comparison): readonly Planned[] =>
  planned.filter(({ action, entry }) => action !== 'keep' || entry.type === 'directory');

/**
 * Times that may not reflect another change: within a clock tick, or in whole seconds if the host reports no more.
 */
const UNSURE_SECONDS = 2;

/** Of these many parts of 256 KiB the previous manifest is read while the host is still listing. */
const MAX_PARTS_AHEAD = 32;
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/**
 * Compares the host's listing with the previous snapshot. Files whose times are inconclusive are compared by content.
 */
export async function compareWithFormer(
  host: RemoteHost,
  listing: Promise<HostListing>,
  former: FormerSnapshot | null,
  options: {
    readonly attributes: boolean;
    /** Whether the contents of all files are compared. */
    readonly contents?: boolean;
    readonly signal: AbortSignal;
  },
): Promise<Comparison> {
  const entries = formerEntries(former);
  const ahead = Array.from({ length: MAX_PARTS_AHEAD }, () => startedNext(entries));
  try {
    const sides = new Sides(await listing, options);
    for (let part = await ahead.shift(); part && !part.done; part = await ahead.shift()) {
      options.signal.throwIfAborted();
      ahead.push(startedNext(entries));
      sides.isBuiltOn = true;
      for (const entry of part.value) sides.add(entry);
    }
    await sides.finish(options.signal);
    if (former) await compareContents(host, sides.doubtful, former, options);
    joinNames(sides.planned);
    return sides;
  } finally {
    await entries.return(undefined);
  }
}

/** A generator answers one call after another. Its errors are thrown where the answer is awaited. */
function startedNext<T>(items: AsyncGenerator<T>): Promise<IteratorResult<T>> {
  const next = items.next();
  next.catch(() => undefined);
  return next;
}

interface Doubtful {
  readonly planned: Planned;
  readonly was: ManifestEntry;
  readonly key: string | null;
}

/** The two lists side by side, both in walk order. */
class Sides implements Comparison {
  readonly planned: Planned[] = [];
  readonly stale: ByteString[] = [];
  readonly doubtful: Doubtful[] = [];
  isBuiltOn = false;
  readonly #entries: readonly Surveyed[];
  readonly #unsureFrom: number;
  readonly #attributes: boolean;
  readonly #contents: boolean;
  #at = 0;
  #textBytes = 0;
  #stalePrefix: string | null = null;

  constructor(
    listing: HostListing,
    { attributes, contents = false }: { readonly attributes: boolean; readonly contents?: boolean },
  ) {
    this.#entries = listing.entries;
    this.#unsureFrom = listing.startedAt - UNSURE_SECONDS;
    this.#attributes = attributes;
    this.#contents = contents;
  }

  add(former: FormerEntry): void {
    for (;;) {
      const entry = this.#entries[this.#at];
      const isSame = entry?.path === former.path;
      const order = isSame ? 0 : entry ? compareWalkOrder(entry.path, former.path) : 1;
      if (!entry || order > 0) return this.#drop(former.path);
      this.#at += 1;
      if (order === 0) return this.#pair(entry, former);
      this.#plan(entry, newActionOf(entry));
    }
  }

  async finish(signal: AbortSignal): Promise<void> {
    const pace = new Pace(signal);
    for (; this.#at < this.#entries.length; this.#at += 1) {
      if (pace.isLong()) await pace.rest();
      const entry = this.#entries[this.#at];
      if (entry) this.#plan(entry, newActionOf(entry));
    }
  }

  #pair(entry: Surveyed, former: FormerEntry): void {
    const isEqual = former.key !== null && entry.hasKey(former.key);
    const isSame = isEqual && !(this.#contents && entry.type === 'file');
    const planned = this.#plan(entry, isSame ? 'keep' : newActionOf(entry));
    planned.line = former.number;
    if (isSame) return this.#keepText(planned, former.line);
    const was = entryOfFormer(former);
    if ((was.type === 'directory') !== (entry.type === 'directory')) return this.#drop(entry.path);
    planned.wasBytes = was.size;
    if (entry.type !== 'file' || !(isEqual || this.#mayBeSame(entry, was, former.key))) return;
    this.doubtful.push({ planned, was, key: former.key === null ? null : sureKey(former.key) });
  }

  #keepText(planned: Planned, line: ByteString): void {
    if (this.#textBytes > MAX_TEXT_BYTES) return;
    this.#textBytes += line.length;
    planned.text = line;
  }

  /** A candidate by size and time: worth reading. */
  #mayBeSame(entry: Surveyed, was: ManifestEntry, key: string | null): boolean {
    if (was.type !== 'file' || was.size !== entry.size) return false;
    if (key === null) return isSameTime(was.mtimeNs, entry.facts.mtimeNs);
    if (isUnsure(key) && entry.hasKey(sureKey(key))) return true;
    // ACLs and extended attributes are not in the listing, so they have to be fetched with the file
    return !this.#attributes && new SurveyedFacts(sureKey(key)).mtimeNs === entry.facts.mtimeNs;
  }

  #drop(path: ByteString): void {
    if (this.#stalePrefix !== null && path.startsWith(this.#stalePrefix)) return;
    this.#stalePrefix = `${path}/`;
    this.stale.push(path);
  }

  #plan(entry: Surveyed, action: Action): Planned {
    const planned: Planned = {
      path: entry.path,
      entry,
      action,
      sha256: undefined,
      leader: undefined,
      wasBytes: 0,
      wasKept: false,
      line: -1,
      text: undefined,
      isSure: entry.changedAt < this.#unsureFrom,
    };
    this.planned.push(planned);
    return planned;
  }
}

const newActionOf = ({ type }: Surveyed): Action => (type === 'file' ? 'fetch' : 'make');

/** Has the host hash files that may equal the previous snapshot's. Unreadable ones are fetched. */
async function compareContents(
  host: RemoteHost,
  doubtful: readonly Doubtful[],
  former: FormerSnapshot,
  { attributes, signal }: { readonly attributes: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const check = new TargetCheck(host, '/', signal);
  const byEntry = new Map(doubtful.map((each) => [each.was, each] as const));
  /** The host's file for a file of the store. */
  const owners = new Map<bigint, string>();
  for await (const batch of batchesOf(byEntry.keys())) {
    const sums = await check.contents(batch);
    for (const [index, was] of batch.entries()) {
      const each = byEntry.get(was);
      if (!each || was.sha256 === undefined || sums[index] !== was.sha256) continue;
      const { planned } = each;
      const stat = await lookAt(pathBelow(former.places.files, planned.path));
      if (!stat?.isFile()) continue;
      const owner = owners.get(stat.ino) ?? planned.entry.place;
      owners.set(stat.ino, owner);
      const isOwn =
        owner === planned.entry.place &&
        (each.key === null || inodeOf(each.key) === inodeOf(planned.entry.key));
      if (isOwn && isAlike(was, planned.entry)) planned.action = 'keep';
      // a copy has no ACLs and extended attributes
      else if (!attributes) {
        planned.action = 'copy';
        planned.sha256 = was.sha256;
      }
    }
  }
}

/** Some hosts do not report fractions of a second, and some stores do not keep them. */
const isSameTime = (a: bigint, b: bigint): boolean =>
  a === b ||
  ((a % 1_000_000_000n === 0n || b % 1_000_000_000n === 0n) && a / 1_000_000_000n === b / 1_000_000_000n);

const inodeOf = (key: string | null): string | undefined => key?.split(' ').at(-1);

/** Without root, owners and some permissions in the store are the service's own. */
function isAlike(was: ManifestEntry, entry: Surveyed): boolean {
  const { mode, uid, gid } = entry.facts;
  if (process.geteuid?.() !== 0) return was.mode === (mode | 0o400);
  return was.mode === mode && was.uid === uid && was.gid === gid;
}

/** Of several names of one file, one leads and the others follow it. */
function joinNames(planned: readonly Planned[]): void {
  const groups = new Map<string, Planned[]>();
  for (const each of planned) {
    if (each.entry.type !== 'file' || !each.entry.hasOtherNames) continue;
    const group = groups.get(each.entry.place);
    if (group) group.push(each);
    else groups.set(each.entry.place, [each]);
  }
  for (const group of groups.values()) {
    const leader =
      group.find(({ action }) => action === 'keep') ??
      group.find(({ action }) => action === 'copy') ??
      group[0];
    if (!leader || group.length < 2) continue;
    for (const each of group) {
      if (each === leader) continue;
      each.wasKept = each.action === 'keep';
      each.action = 'join';
      each.leader = leader;
    }
  }
}
