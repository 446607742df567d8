import type { Replica, ReplicaStore } from '../../application/ports/replica-store.ts';
import { DAY } from '../../domain/instant.ts';
import type { Database } from './database.ts';

const MOST_REPLICAS = 100;

export class SqlReplicaStore implements ReplicaStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async beat({ owner, version, startedAt }: Pick<Replica, 'owner' | 'version' | 'startedAt'>): Promise<void> {
    const row = { owner, version, started_at: startedAt, seen_at: this.#database.nowMs() };
    // The table's only key is the conflict's target, so that MySQL, which ignores the target, does the same.
    await this.#database.write((knex) => knex('replicas').insert(row).onConflict('owner').merge());
  }

  async leave(owner: string): Promise<void> {
    await this.#database.write((knex) => knex('replicas').where({ owner }).delete());
  }

  async list(): Promise<readonly Replica[]> {
    const { knex } = this.#database;
    await this.#database.write(() =>
      knex('replicas').where('seen_at', '<', this.#database.nowPlus(-DAY)).delete(),
    );
    const rows: { owner: string; version: string; started_at: number; seen_ago: number }[] = await knex(
      'replicas',
    )
      .select('owner', 'version', 'started_at', {
        seen_ago: knex.raw('? - seen_at', [this.#database.nowMs()]),
      })
      .orderBy('seen_at', 'desc')
      .limit(MOST_REPLICAS);
    return rows.map((row) => ({
      owner: row.owner,
      version: row.version,
      startedAt: row.started_at,
      // A node of a cluster whose clock is behind would call it negative.
      seenAgoMs: Math.max(0, row.seen_ago),
    }));
  }
}
