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
 * Where files are being written, stored on this machine's disk, so that the next process can find leftovers of
 * interrupted writes.
 */
export interface JailWriteJournal {
  /** Settles once the entry would outlive a power cut; returns its id. */
  begin(place: WritePlace): Promise<string>;
  /** Deletes an entry: nothing of the write is left. Safe to call again. */
  end(id: string): Promise<void>;
  /** The write is over, but its result is unknown. */
  abandon(id: string): void;
  /** Entries of dead processes, abandoned ones of this process, and any older than a day; about 1,000. */
  left(): Promise<readonly LeftWrite[]>;
}
