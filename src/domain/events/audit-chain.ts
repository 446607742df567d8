import type { Instant } from '../base/instant.ts';

/** An entry as the database has it: its detail as the very text, so that nothing depends on how JSON is written. */
export interface RawEntry {
  readonly id: number;
  readonly at: Instant;
  readonly actorKind: string;
  readonly actorId: number | null;
  readonly actorName: string;
  readonly address: string | null;
  readonly action: string;
  readonly object: string;
  readonly outcome: string;
  readonly detail: string;
  /** Written by the author of the entry; null for entries from before there was a chain. */
  readonly signature: string | null;
}

/** An entry with its position in the chain. */
export interface ChainedEntry extends RawEntry {
  /** 1, 2, 3, … without a gap; ids have gaps, and do not become visible in their order. */
  readonly seq: number;
  /** The `mac` of the one before. */
  readonly previous: string;
  readonly mac: string;
}

/** Start and end of the chain. */
export interface ChainHead {
  readonly seq: number;
  readonly mac: string;
  /** Entries up to here were pruned; the first remaining entry follows the `mac` of the last of them. */
  readonly baseSeq: number;
  readonly baseMac: string;
  /** Entries up to this id are from before there were signatures. */
  readonly unsignedUpTo: number;
  readonly beganAt: Instant;
}

export interface SealedHead extends ChainHead {
  readonly seal: string;
}

/** A keyed hash, in hexadecimal: access to the database alone is not enough to compute it. */
export type Mac = (text: string) => string;

/** What the first entry follows. */
export const NOTHING_BEFORE = '0'.repeat(64);

const PURPOSE = { entry: 'drover audit entry 1', link: 'drover audit link 1', head: 'drover audit head 1' };

/** What the author of an entry signs: all but its id, which the database assigns. */
export const signatureOf = (mac: Mac, entry: Omit<RawEntry, 'id' | 'signature'>): string =>
  mac(
    JSON.stringify([
      PURPOSE.entry,
      entry.at,
      entry.actorKind,
      entry.actorId,
      entry.actorName,
      entry.address,
      entry.action,
      entry.object,
      entry.outcome,
      entry.detail,
    ]),
  );

/** Binds an entry to its id, its place and the one before it. */
export const linkMac = (mac: Mac, entry: Omit<ChainedEntry, 'mac'>): string =>
  mac(
    JSON.stringify([
      PURPOSE.link,
      entry.seq,
      entry.previous,
      entry.id,
      entry.signature,
      signatureOf(mac, entry),
    ]),
  );

export const headSeal = (mac: Mac, head: ChainHead): string =>
  mac(
    JSON.stringify([
      PURPOSE.head,
      head.seq,
      head.mac,
      head.baseSeq,
      head.baseMac,
      head.unsignedUpTo,
      head.beganAt,
    ]),
  );

/** Whether Drover wrote the entry exactly like this. */
export const isSigned = (mac: Mac, entry: RawEntry, unsignedUpTo: number): boolean =>
  entry.signature === null ? entry.id <= unsignedUpTo : entry.signature === signatureOf(mac, entry);

/** Entries in their new places after the head, and the head after them. */
export function chain(
  mac: Mac,
  head: ChainHead,
  entries: readonly RawEntry[],
): { readonly chained: readonly ChainedEntry[]; readonly head: ChainHead } {
  let { seq, mac: previous } = head;
  const chained = entries.map((entry) => {
    seq += 1;
    const placed = { ...entry, seq, previous };
    previous = linkMac(mac, placed);
    return { ...placed, mac: previous };
  });
  return { chained, head: { ...head, seq, mac: previous } };
}

/** The first thing that is not as it was written. */
export interface AuditFault {
  readonly what: 'changed' | 'missing' | 'inserted' | 'moved' | 'head';
  /** Of the entry, if there is one. */
  readonly id: number | null;
  readonly seq: number | null;
  readonly detail: string;
}

/** Follows a chain entry by entry, and reports the first invalid one. */
export class ChainWalk {
  readonly #mac: Mac;
  readonly #unsignedUpTo: number;
  #seq: number;
  #previous: string;

  constructor(mac: Mac, { baseSeq, baseMac, unsignedUpTo }: ChainHead) {
    this.#mac = mac;
    this.#unsignedUpTo = unsignedUpTo;
    this.#seq = baseSeq;
    this.#previous = baseMac;
  }

  get at(): { readonly seq: number; readonly mac: string } {
    return { seq: this.#seq, mac: this.#previous };
  }

  /** Takes the next entry by their numbers; null: it is as it was written. */
  next(entry: ChainedEntry): AuditFault | null {
    const { id, seq } = entry;
    const expected = this.#seq + 1;
    const fault = (what: AuditFault['what'], detail: string): AuditFault => ({ what, id, seq, detail });
    if (seq !== expected) {
      return {
        what: 'missing',
        id: null,
        seq: expected,
        detail: `Entry number ${expected} is missing; the next existing one is number ${seq} (id ${id}).`,
      };
    }
    if (!isSigned(this.#mac, entry, this.#unsignedUpTo)) {
      return entry.signature === null
        ? fault('inserted', `Entry ${id} was not written by the service: it has no signature.`)
        : fault('changed', `Entry ${id} was changed, or was not written by the service.`);
    }
    const mac = linkMac(this.#mac, entry);
    if (mac !== entry.mac || entry.previous !== this.#previous) {
      return fault('moved', `Entry ${id} was moved: it entered the chain as number ${seq}.`);
    }
    this.#seq = seq;
    this.#previous = mac;
    return null;
  }
}
