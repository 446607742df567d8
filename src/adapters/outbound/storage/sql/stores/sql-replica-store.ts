import type { Replica, ReplicaStore } from '../../../../../application/ports/service/replica-store.ts';
import { DAY } from '../../../../../domain/base/instant.ts';
import { SqlStore } from '../database.ts';

const MAX_REPLICAS = 100;

interface Row {
  readonly owner: string;
  readonly version: string;
  readonly started_at: number;
  readonly key_ids: string | null;
}

export class SqlReplicaStore extends SqlStore implements ReplicaStore {
  async beat(...[replica]: Parameters<ReplicaStore['beat']>): Promise<void> {
    const { owner, version, startedAt, keyIds } = replica;
    const key_ids = keyIds?.join(' ') ?? null;
    const row = { owner, version, started_at: startedAt, seen_at: this.database.nowMs(), key_ids };
    // The table's only key is the conflict's target, so that MySQL, which ignores the target, does the same.
    await this.database.write((knex) => knex('replicas').insert(row).onConflict('owner').merge());
  }

  async leave(owner: string): Promise<void> {
    await this.database.write((knex) => knex('replicas').where({ owner }).delete());
  }

  async list(): Promise<readonly Replica[]> {
    const { knex } = this.database;
    await this.database.write(() =>
      knex('replicas').where('seen_at', '<', this.database.nowPlus(-DAY)).delete(),
    );
    const rows: (Row & { seen_ago: number })[] = await knex('replicas')
      .select('owner', 'version', 'started_at', 'key_ids', {
        seen_ago: knex.raw('? - seen_at', [this.database.nowMs()]),
      })
      .orderBy('seen_at', 'desc')
      .limit(MAX_REPLICAS);
    return rows.map((row) => ({
      owner: row.owner,
      version: row.version,
      startedAt: row.started_at,
      keyIds: row.key_ids?.split(' ') ?? null,
      // A node of a cluster whose clock is behind would call it negative.
      seenAgoMs: Math.max(0, row.seen_ago),
    }));
  }
}
