import type { Knex } from 'knex';
import type { AuditChain, SealResult } from '../../../../../application/ports/events/audit-chain.ts';
import { batches } from '../../../../../domain/base/batches.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import {
  type ChainedEntry,
  type ChainHead,
  chain,
  headSeal,
  type Mac,
  NOTHING_BEFORE,
  type RawEntry,
  type SealedHead,
} from '../../../../../domain/events/audit-chain.ts';
import type { Database } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import {
  CHAINED_COLUMNS,
  type ChainedRow,
  SIGNED_COLUMNS,
  type SignedRow,
  toChained,
  toRaw,
} from '../tables/audit-row.ts';
import { columns, int, type Row, text } from '../tables/columns.ts';

/** Rows a statement: seven values each, and SQLite takes 32,766 in one. */
const ROWS = 100;
const HEAD = { id: 1 };
const NOTHING: SealResult = { entries: 0, began: false };

const HEADS = columns({
  seq: int,
  mac: text,
  baseSeq: int,
  baseMac: text,
  unsignedUpTo: int,
  beganAt: int,
  seal: text,
});

/** Another process started the chain at the same moment; the rest is chained at the next run. */
class BegunByAnother extends Error {}

/**
 * The order is that of chaining, not of ids: on MySQL an entry can become visible after one with a greater id, and
 * then comes later. The head's row is written first in each transaction, which serializes them, also over the nodes
 * of a Galera cluster, where one of two concurrent ones is rolled back.
 */
export class SqlAuditChain implements AuditChain {
  readonly #database: Database;
  readonly mac: Mac;

  constructor(database: Database, mac: Mac) {
    this.#database = database;
    this.mac = mac;
  }

  async seal(limit: number, at: Instant): Promise<SealResult> {
    if ((await this.unsealed(0, 1)).length === 0) return NOTHING;
    try {
      return await this.#database.transaction(async (trx) => {
        const found = await this.#lock(trx);
        const head = found ?? (await this.#begin(trx, at));
        const rows: SignedRow[] = await trx('audit_entries')
          .whereNull('seq')
          .orderBy('id')
          .limit(limit)
          .select(SIGNED_COLUMNS);
        const after = chain(this.mac, head, rows.map(toRaw));
        for (const each of batches(after.chained, ROWS)) await place(trx, each);
        await this.#write(trx, after.head);
        return { entries: rows.length, began: found === null };
      });
    } catch (error) {
      if (error instanceof BegunByAnother) return NOTHING;
      throw error;
    }
  }

  async head(): Promise<SealedHead | null> {
    return readHead(this.#database.knex);
  }

  async sealed(after: number, limit: number): Promise<readonly ChainedEntry[]> {
    const rows: ChainedRow[] = await this.#database
      .knex('audit_entries')
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit)
      .select(CHAINED_COLUMNS);
    return rows.map(toChained);
  }

  async unsealed(afterId: number, limit: number): Promise<readonly RawEntry[]> {
    const rows: SignedRow[] = await this.#database
      .knex('audit_entries')
      .whereNull('seq')
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(limit)
      .select(SIGNED_COLUMNS);
    return rows.map(toRaw);
  }

  async prune(before: Instant, limit: number): Promise<number> {
    return this.#database.transaction(async (trx) => {
      const head = await this.#lock(trx);
      if (head === null) return 0;
      const oldest: { seq: number; at: number; mac: string }[] = await trx('audit_entries')
        .where('seq', '>', head.baseSeq)
        .orderBy('seq')
        .limit(limit)
        .select('seq', 'at', 'mac');
      const stays = oldest.findIndex((entry) => entry.at >= before);
      const old = stays === -1 ? oldest : oldest.slice(0, stays);
      const last = old.at(-1);
      if (!last) return 0;
      await trx('audit_entries')
        .whereBetween('seq', [head.baseSeq + 1, last.seq])
        .delete();
      await this.#write(trx, { ...head, baseSeq: last.seq, baseMac: last.mac });
      return old.length;
    });
  }

  /** Throws `audit_broken` if someone else wrote the head: later entries must not hide it. */
  async #lock(trx: Knex): Promise<ChainHead | null> {
    if ((await trx('audit_chain').where(HEAD).increment('version', 1)) === 0) return null;
    const head = await readHead(trx);
    if (head && headSeal(this.mac, head) === head.seal) return head;
    throw broken('The record of the audit chain head was changed outside of Drover.');
  }

  /** All that is there by now is from before there were signatures. */
  async #begin(trx: Knex, beganAt: Instant): Promise<ChainHead> {
    const placed = await trx('audit_entries').whereNotNull('seq').first<object | undefined>('id');
    if (placed) {
      // Started since this transaction looked for it, or else deleted.
      if ((await this.#lock(trx)) !== null) throw new BegunByAnother();
      throw broken('The record of the audit chain head is missing.');
    }
    const unsigned = (await trx('audit_entries').whereNull('signature').max({ id: 'id' }).first()) as {
      id: number | null;
    };
    const head = {
      seq: 0,
      mac: NOTHING_BEFORE,
      baseSeq: 0,
      baseMac: NOTHING_BEFORE,
      unsignedUpTo: unsigned.id ?? 0,
      beganAt,
    };
    const row = { ...HEAD, version: 0, ...HEADS.write({ ...head, seal: headSeal(this.mac, head) }) };
    await trx('audit_chain')
      .insert(row)
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? new BegunByAnother() : error;
      });
    return head;
  }

  async #write(trx: Knex, head: ChainHead): Promise<void> {
    await trx('audit_chain')
      .where(HEAD)
      .update(HEADS.write({ ...head, seal: headSeal(this.mac, head) }));
  }
}

const broken = (detail: string): DomainError =>
  new DomainError('audit_broken', `${detail} Run drover audit verify for details.`);

async function readHead(knex: Knex): Promise<SealedHead | null> {
  const row = await knex('audit_chain').where(HEAD).first<Row<typeof HEADS> | undefined>();
  return row ? HEADS.read(row) : null;
}

/** One statement for many rows. */
async function place(trx: Knex, entries: readonly ChainedEntry[]): Promise<void> {
  const each = (value: (entry: ChainedEntry) => string | number): Knex.Raw =>
    trx.raw(
      `CASE id ${entries.map(() => 'WHEN ? THEN ?').join(' ')} END`,
      entries.flatMap((entry) => [entry.id, value(entry)]),
    );
  await trx('audit_entries')
    .whereIn(
      'id',
      entries.map(({ id }) => id),
    )
    .update({
      seq: each(({ seq }) => seq),
      previous: each(({ previous }) => previous),
      mac: each(({ mac }) => mac),
    });
}
