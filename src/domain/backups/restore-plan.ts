import { SECOND } from '../base/instant.ts';
import type { EntryFacts } from '../files/directory-entry.ts';
import { type ShownName, shownPath } from '../files/shown-name.ts';
import type { Amount } from './exclusion-preview.ts';

/** How an entry of a snapshot compares with the server's; files by kind, size and time. */
export type LiveState = 'same' | 'differs' | 'missing';

/** `live`: `null` if the server has no such entry. Contents of directories are not compared. */
export function liveState(kept: EntryFacts, live: EntryFacts | null): LiveState {
  if (live === null) return 'missing';
  if (kept.kind !== live.kind) return 'differs';
  if (kept.kind === 'dir') return 'same';
  const isSameTime = Math.floor(kept.modifiedAt / SECOND) === Math.floor(live.modifiedAt / SECOND);
  return isSameTime && (kept.kind !== 'file' || kept.size === live.size) ? 'same' : 'differs';
}

/** A file that a restore would write. */
export interface RestoreChange {
  /** Absolute on the server. */
  readonly path: ShownName;
  readonly kept: EntryFacts;
  /** `null`: it would be created. */
  readonly live: EntryFacts | null;
}

/** What a restore would write. Directories are not counted. */
export interface RestorePlan {
  readonly created: Amount;
  readonly replaced: Amount;
  /** Same kind, size and time: their content stays. */
  readonly same: Amount;
  /** The first files that would be replaced, then the first that would be created. */
  readonly changes: readonly RestoreChange[];
  /** False: a limit was reached first, and the rest was not compared. */
  readonly isComplete: boolean;
}

const MAX_NAMED = 50;
const NONE: Amount = { files: 0, bytes: 0 };

const plus = ({ files, bytes }: Amount, { kind, size }: EntryFacts): Amount => ({
  files: files + 1,
  bytes: bytes + (kind === 'file' ? size : 0),
});

/** Sums up a restore, entry by entry. */
export class RestoreTally {
  #created = NONE;
  #replaced = NONE;
  #same = NONE;
  readonly #firstCreated: RestoreChange[] = [];
  readonly #firstReplaced: RestoreChange[] = [];

  /** `path`: absolute, as bytes. */
  add(path: Uint8Array, kept: EntryFacts, live: EntryFacts | null): void {
    const state = liveState(kept, live);
    if (kept.kind === 'dir' && state !== 'differs') return;
    if (state === 'same') {
      this.#same = plus(this.#same, kept);
      return;
    }
    if (state === 'missing') this.#created = plus(this.#created, kept);
    else this.#replaced = plus(this.#replaced, kept);
    const named = state === 'missing' ? this.#firstCreated : this.#firstReplaced;
    if (named.length < MAX_NAMED) named.push({ path: shownPath(path), kept, live });
  }

  finish(isComplete: boolean): RestorePlan {
    return {
      created: this.#created,
      replaced: this.#replaced,
      same: this.#same,
      changes: [...this.#firstReplaced, ...this.#firstCreated],
      isComplete,
    };
  }
}
