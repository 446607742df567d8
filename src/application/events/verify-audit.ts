import type { Actor } from '../../domain/access/actor.ts';
import {
  type AuditFault,
  ChainWalk,
  headSeal,
  isSigned,
  type SealedHead,
} from '../../domain/events/audit-chain.ts';
import { UseCase } from '../base/use-case.ts';

const PAGE = 1_000;
/** How often it restarts if entries were pruned in the meantime. */
const ATTEMPTS = 5;

/** A chain head that a user recorded earlier, to check that the chain still contains it. */
export interface NotedHead {
  readonly seq: number;
  readonly mac: string;
}

export interface AuditVerdict {
  /** Null: all is as it was written. */
  readonly fault: AuditFault | null;
  /** Entries that were found to be as they were written. */
  readonly checked: number;
  /** Entries that are not in the chain yet. Their signatures are verified; their order and number are not protected yet. */
  readonly unsealed: number;
  /** Entries that were pruned before the first that is there. */
  readonly pruned: number;
  readonly head: SealedHead | null;
}

/** Looks at the whole audit log, entry by entry. */
export class VerifyAudit extends UseCase<'chain'> {
  /** For administrators. `noted`: has to be in the chain, too. */
  async execute(
    actor: Actor,
    options: { readonly noted?: NotedHead | undefined; readonly signal?: AbortSignal } = {},
  ): Promise<AuditVerdict> {
    actor.requireRole('administrator');
    for (let attempt = 1; ; attempt += 1) {
      const verdict = await this.#verify(options);
      if (verdict.fault === null || attempt === ATTEMPTS) return verdict;
      // The oldest entries may have been pruned during the check.
      const head = await this.deps.chain.head();
      if (head?.baseSeq === verdict.head?.baseSeq) return verdict;
    }
  }

  async #verify({
    noted,
    signal,
  }: {
    readonly noted?: NotedHead | undefined;
    readonly signal?: AbortSignal;
  }): Promise<AuditVerdict> {
    const head = await this.deps.chain.head();
    const none = { checked: 0, unsealed: 0, pruned: head?.baseSeq ?? 0, head };
    if (head === null) return this.#beforeTheChain(noted);
    if (headSeal(this.#mac, head) !== head.seal) {
      return {
        ...none,
        fault: headFault('The record of the chain head was changed outside of Drover.'),
      };
    }
    const walk = new ChainWalk(this.#mac, head);
    let isNotedFound = noted === undefined || noted.seq <= head.baseSeq;
    while (walk.at.seq < head.seq) {
      signal?.throwIfAborted();
      const page = await this.deps.chain.sealed(walk.at.seq, PAGE);
      for (const entry of page) {
        if (entry.seq > head.seq) break;
        const fault = walk.next(entry);
        const checked = walk.at.seq - head.baseSeq;
        if (fault) return { ...none, checked, fault };
        if (noted && walk.at.seq === noted.seq) isNotedFound = walk.at.mac === noted.mac;
      }
      if (page.length === 0 || (page[0]?.seq ?? 0) > head.seq) break;
    }
    const { seq, mac } = walk.at;
    const checked = seq - head.baseSeq;
    if (seq !== head.seq) {
      const detail = `Entries ${seq + 1} to ${head.seq} are missing at the end.`;
      return { ...none, checked, fault: { what: 'missing', id: null, seq: seq + 1, detail } };
    }
    if (mac !== head.mac)
      return {
        ...none,
        checked,
        fault: headFault('The last entry of the chain differs from its recorded head.'),
      };
    if (!isNotedFound) {
      const detail = `The chain has no entry ${noted?.seq} as you recorded it: entries were replaced, or this is a different log.`;
      return { ...none, checked, fault: headFault(detail) };
    }
    return { ...none, checked, ...(await this.#unsealed(head.unsignedUpTo)) };
  }

  async #beforeTheChain(noted: NotedHead | undefined): Promise<AuditVerdict> {
    const [stray] = await this.deps.chain.sealed(0, 1);
    const detail = 'The record of the chain head is missing.';
    const fault = stray || noted ? headFault(detail) : null;
    const { unsealed } = await this.#unsealed(Number.MAX_SAFE_INTEGER);
    return { fault, checked: 0, unsealed, pruned: 0, head: null };
  }

  async #unsealed(unsignedUpTo: number): Promise<Pick<AuditVerdict, 'unsealed' | 'fault'>> {
    let unsealed = 0;
    for (let after = 0; ; ) {
      const page = await this.deps.chain.unsealed(after, PAGE);
      for (const entry of page) {
        if (!isSigned(this.#mac, entry, unsignedUpTo)) {
          const detail = `Entry ${entry.id} was changed, or was not written by the service. It is not in the chain yet.`;
          const what = entry.signature === null ? 'inserted' : 'changed';
          return { unsealed, fault: { what, id: entry.id, seq: null, detail } };
        }
        unsealed += 1;
      }
      if (page.length < PAGE) return { unsealed, fault: null };
      after = page.at(-1)?.id ?? after;
    }
  }

  readonly #mac = (text: string): string => this.deps.chain.mac(text);
}

const headFault = (detail: string): AuditFault => ({ what: 'head', id: null, seq: null, detail });
