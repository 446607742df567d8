import type { Knex } from 'knex';
import type { Claim } from '../../../../../application/ports/jobs/job-queue.ts';
import { isDomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { leaseLost } from '../../../../../domain/jobs/job.ts';
import {
  checkLogPart,
  earliestTail,
  extendLog,
  type LogLimits,
  latestLines,
} from '../../../../../domain/jobs/job-log.ts';
import type { Database } from '../database.ts';
import { fromJson, Strings } from '../tables/columns.ts';
import { heldBy } from './job-holds.ts';
import { EXTENT_COLUMNS, type ExtentRow, toExtent } from './job-log-reader.ts';

/** The log's fields of a job's row. */
export interface LogRow extends ExtentRow {
  readonly log_tail: string;
}

/** Appends to logs. A part is one chunk, so chunks are whole lines and so are cuts. */
export class JobLogWriter {
  readonly #database: Database;
  readonly #limits: LogLimits;
  /**
   * The log's end before an append whose failure leaves open whether it was stored. The next append of the same claim
   * checks that, so that repeated lines are not doubled.
   */
  readonly #unsure = new WeakMap<Claim, number>();

  constructor(database: Database, limits: LogLimits) {
    this.#database = database;
    this.#limits = limits;
  }

  async append(claim: Claim, text: string, at: Instant, runMarker?: string): Promise<void> {
    checkLogPart(text);
    let end: number | undefined;
    try {
      await this.#database.transaction(async (trx) => {
        const row = await heldBy(trx, claim)
          .forUpdate()
          .first<LogRow | undefined>([...EXTENT_COLUMNS, 'log_tail']);
        if (!row) throw leaseLost(claim.job.id);
        end = row.log_bytes;
        const log = await this.write(trx, claim, row, { text, at });
        const marker = runMarker === undefined ? {} : { run_marker: runMarker };
        const columns = { ...log, ...marker };
        if (Object.keys(columns).length > 0) await heldBy(trx, claim).update(columns);
      });
      this.#unsure.delete(claim);
    } catch (error) {
      const maybeWritten = end !== undefined && !isDomainError(error, 'lease_lost');
      if (maybeWritten && !this.#unsure.has(claim)) this.#unsure.set(claim, end ?? 0);
      throw error;
    }
  }

  /**
   * Writes whole lines in the caller's transaction, which has found the job's row by the claim and locked it, except
   * lines that are stored already. Returns the changes of that row.
   */
  async write(
    trx: Knex,
    claim: Claim,
    row: LogRow,
    { text, at }: { readonly text: string; readonly at: Instant },
  ): Promise<Partial<LogRow>> {
    checkLogPart(text);
    const fresh = await this.#notYetWritten(trx, claim, row.log_bytes, Buffer.from(text));
    return fresh.length > 0 ? this.#write(trx, claim.job.id, row, fresh, at) : {};
  }

  async #notYetWritten(trx: Knex, claim: Claim, end: number, content: Buffer): Promise<Buffer> {
    const since = this.#unsure.get(claim);
    if (since === undefined || since === end) return content;
    const chunks = await trx('job_log_chunks')
      .where({ job_id: claim.job.id })
      .where('position', '>=', since)
      .orderBy('position')
      .select<{ content: Uint8Array }[]>('content');
    const written = Buffer.concat(chunks.map((chunk) => chunk.content));
    const isIn = content.subarray(0, written.length).equals(written);
    return isIn ? content.subarray(written.length) : content;
  }

  async #write(trx: Knex, id: number, row: LogRow, content: Buffer, at: Instant): Promise<LogRow> {
    const position = row.log_bytes;
    await trx('job_log_chunks').insert({ job_id: id, position, at, content });
    const extent = extendLog(toExtent(row), content.length, this.#limits);
    const earliest = earliestTail(extent, this.#limits);
    const tailStart = earliest === null ? extent.tailStart : await firstChunk(trx, id, earliest, position);
    if (tailStart > extent.tailStart) {
      await trx('job_log_chunks')
        .where({ job_id: id })
        .where('position', '>=', extent.tailStart)
        .where('position', '<', tailStart)
        .delete();
    }
    return {
      log_bytes: extent.bytes,
      log_head_end: extent.headEnd,
      log_tail_start: tailStart,
      log_tail: JSON.stringify(latestLines(fromJson(Strings, row.log_tail), content.toString('utf8'))),
    };
  }
}

/** The first chunk at or after a position; the last one stays, however long it is. */
async function firstChunk(trx: Knex, id: number, earliest: number, last: number): Promise<number> {
  const found = (await trx('job_log_chunks')
    .where({ job_id: id })
    .where('position', '>=', earliest)
    .min({ position: 'position' })
    .first()) as { position: number | null } | undefined;
  return found?.position ?? last;
}
