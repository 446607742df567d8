import type { Knex } from 'knex';
import type { LogPart } from '../../../../../application/ports/jobs/job-store.ts';
import { jobNotFound } from '../../../../../domain/jobs/job.ts';
import {
  cutNotice,
  LOG_TAIL_BYTES,
  type LogExtent,
  logWindow,
  splitLines,
} from '../../../../../domain/jobs/job-log.ts';
import { hostText } from '../tables/columns.ts';

/** How a log's extent is kept in its job's row. */
export const EXTENT_COLUMNS = ['log_bytes', 'log_head_end', 'log_tail_start'] as const;
export type ExtentRow = Readonly<Record<(typeof EXTENT_COLUMNS)[number], number>>;

export const toExtent = (row: ExtentRow): LogExtent => ({
  bytes: row.log_bytes,
  headEnd: row.log_head_end,
  tailStart: row.log_tail_start,
});

interface ChunkRow {
  readonly position: number;
  readonly content: Uint8Array;
}

/** The log may grow, and its middle be cut, between two queries; five times in a row means that something is wrong. */
const ATTEMPTS = 5;

export async function readJobLog(knex: Knex, id: number, after: number): Promise<LogPart> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { from, to, cutBytes } = logWindow(await extentOf(knex, id), after);
    if (from === to) return { next: to, text: '', cutBytes };
    const chunks = await chunksOf(knex, id)
      .where('position', '<', to)
      .where('position', '>=', chunksOf(knex, id).where('position', '<=', from).max('position'))
      .orderBy('position')
      .select<ChunkRow[]>(['position', 'content']);
    const base = chunks[0]?.position;
    if (base === undefined || base > from) continue;
    const bytes = Buffer.concat(chunks.map((chunk) => chunk.content));
    const [start, end] = wholeCharacters(bytes, from - base, to - base);
    return { next: base + end, text: bytes.toString('utf8', start, end), cutBytes };
  }
  throw new Error(`the log of job ${id} is not where its row says`);
}

export async function tailJobLog(knex: Knex, id: number, lines: number): Promise<readonly string[]> {
  const { bytes, headEnd, tailStart } = await extentOf(knex, id);
  const earliest = bytes - LOG_TAIL_BYTES;
  const chunks = await chunksOf(knex, id)
    .where('position', '>=', earliest)
    .orderBy('position')
    .select<ChunkRow[]>(['position', 'content']);
  const all: string[] = [];
  const opens = chunks[0]?.position ?? 0;
  // If the window starts at the kept tail, the cut comes first.
  let expected = earliest < tailStart && opens >= tailStart ? headEnd : opens;
  for (const { position, content } of chunks) {
    if (position > expected) all.push(cutNotice(position - expected));
    all.push(...splitLines(Buffer.from(content).toString('utf8')));
    expected = position + content.length;
  }
  return all.slice(Math.max(0, all.length - Math.min(1_000, Math.max(0, lines)))).map(hostText);
}

async function extentOf(knex: Knex, id: number): Promise<LogExtent> {
  const row = await knex('jobs').where({ id }).first<ExtentRow | undefined>(EXTENT_COLUMNS);
  if (!row) throw jobNotFound(id);
  return toExtent(row);
}

const chunksOf = (knex: Knex, id: number): Knex.QueryBuilder => knex('job_log_chunks').where({ job_id: id });

/** UTF-8: a byte of the form 10xxxxxx goes on with a character. */
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function wholeCharacters(bytes: Buffer, from: number, to: number): [start: number, end: number] {
  let [start, end] = [from, to];
  while (isContinuation(bytes[start])) start += 1;
  while (end > start && isContinuation(bytes[end])) end -= 1;
  return [start, end];
}
