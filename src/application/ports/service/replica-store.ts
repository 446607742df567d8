import type { Instant } from '../../../domain/base/instant.ts';

/** A running service process. `seenAgoMs` is by the database's clock. */
export interface Replica {
  /** Unique for each start of a process. */
  readonly owner: string;
  readonly version: string;
  readonly startedAt: Instant;
  /** The ids of its master keys, the current one first; `null` for an earlier version. */
  readonly keyIds: readonly string[] | null;
  readonly seenAgoMs: number;
}

/** The service processes that use this database. */
export interface ReplicaStore {
  /** Writes or renews the entry of a process. */
  beat(replica: Pick<Replica, 'owner' | 'version' | 'startedAt' | 'keyIds'>): Promise<void>;
  leave(owner: string): Promise<void>;
  /** All that are recorded, freshest first; at most 100. Entries unseen for a day are dropped. */
  list(): Promise<readonly Replica[]>;
}
