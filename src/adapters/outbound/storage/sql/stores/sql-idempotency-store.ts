import type { Knex } from 'knex';
import type {
  Attempt,
  IdempotencyStore,
  RepeatableRequest,
} from '../../../../../application/ports/base/idempotency-store.ts';
import type { ReplyToKeep } from '../../../../../domain/base/kept-reply.ts';
import { SqlStore } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { keepReply } from './record-change.ts';

/** How often a request is looked for that was there a moment ago, at its insert. */
const ATTEMPTS = 10;

interface RequestRow {
  readonly request_hash: string;
  readonly owner: string | null;
  readonly status: number | null;
  readonly body: string | null;
  /** Whether its lease ran out, and whether it is older than replies are kept: 0 or 1. */
  readonly free: number | null;
  readonly old: number;
}

export class SqlIdempotencyStore extends SqlStore implements IdempotencyStore {
  async begin(
    { id, hash }: RepeatableRequest,
    owner: string,
    leaseMs: number,
    keptMs: number,
  ): Promise<Attempt> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const lease = { owner, lease_until: this.database.nowPlus(leaseMs) };
      const anew = {
        ...lease,
        request_hash: hash,
        status: null,
        body: null,
        created_at: this.database.nowMs(),
      };
      if (await this.#insert({ id, ...anew })) return { kind: 'begun' };
      const row = await this.#read(id, keptMs);
      const found = row && findingOf(row, hash);
      if (typeof found === 'object') return found;
      if (row && (await this.#takeOver(id, row.owner, found === 'abandoned' ? lease : anew))) {
        return { kind: 'begun' };
      }
      // Deleted between the insert and the read, or taken over since: read again.
    }
    return { kind: 'under_way' };
  }

  async renew(id: string, owner: string, leaseMs: number): Promise<boolean> {
    const lease_until = this.database.nowPlus(leaseMs);
    const renewed = await this.database.write(() =>
      this.#requests().where({ id, owner }).update({ lease_until }),
    );
    return renewed > 0;
  }

  async answer(reply: ReplyToKeep): Promise<boolean> {
    return this.database.write((knex) => keepReply(knex, reply));
  }

  async giveUp(id: string, owner: string): Promise<void> {
    await this.database.write(() => this.#requests().where({ id, owner }).delete());
  }

  async prune(keptMs: number, limit: number): Promise<number> {
    const old = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
      query
        .where('created_at', '<=', this.database.nowPlus(-keptMs))
        .where(
          (idle) => void idle.whereNull('lease_until').orWhere('lease_until', '<=', this.database.nowMs()),
        );
    const rows: { id: string }[] = await old(this.#requests())
      .select('id')
      .orderBy('created_at')
      .limit(limit);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    return this.database.write(() => old(this.#requests().whereIn('id', ids)).delete());
  }

  async #insert(row: object): Promise<boolean> {
    try {
      await this.database.write(() => this.#requests().insert(row));
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  #read(id: string, keptMs: number): Promise<RequestRow | undefined> {
    const { knex } = this.database;
    return this.#requests()
      .where({ id })
      .first('request_hash', 'owner', 'status', 'body', {
        free: knex.raw('lease_until <= ?', [this.database.nowMs()]),
        old: knex.raw('created_at <= ?', [this.database.nowPlus(-keptMs)]),
      });
  }

  /** Only from the observed owner, so that of several takeovers one wins. */
  async #takeOver(id: string, seen: string | null, columns: object): Promise<boolean> {
    const taken = await this.database.write(() =>
      this.#requests()
        .where({ id, owner: seen })
        .where(
          (idle) => void idle.whereNull('lease_until').orWhere('lease_until', '<=', this.database.nowMs()),
        )
        .update(columns),
    );
    return taken > 0;
  }

  #requests(): Knex.QueryBuilder {
    return this.database.knex('idempotent_requests');
  }
}

function findingOf(row: RequestRow, hash: string): Attempt | 'too old' | 'abandoned' {
  if (row.old === 1 && (row.status !== null || row.free === 1)) return 'too old';
  if (row.request_hash !== hash) return { kind: 'other_request' };
  if (row.status !== null) return { kind: 'answered', reply: { status: row.status, body: row.body ?? '' } };
  return row.free === 1 ? 'abandoned' : { kind: 'under_way' };
}
