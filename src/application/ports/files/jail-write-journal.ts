import type { Instant } from '../../../domain/base/instant.ts';
import type { JailPath } from '../../../domain/files/jail-path.ts';

/** A directory that a file is being written into. */
export interface WritePlace {
  readonly serverId: number;
  /** As of `JailFileSystems.open`. */
  readonly jail: string;
  readonly directory: JailPath;
}

export interface LeftWrite extends WritePlace {
  readonly id: string;
  readonly begunAt: Instant;
}

/**
 * Where files are being written, kept on this machine's disk: what a write leaves there that was cut off can be found again
 * by the next process.
 */
export interface JailWriteJournal {
  /** Settles once the entry would outlive a power cut; returns its id. */
  begin(place: WritePlace): Promise<string>;
  /** Forgets an entry: nothing of the write is left. Safe to call again. */
  end(id: string): Promise<void>;
  /** The write is over, but what became of it is not known. */
  abandon(id: string): void;
  /** Entries of processes that are gone, of this one those that were abandoned, and any older than a day; some 1,000. */
  left(): Promise<readonly LeftWrite[]>;
}
