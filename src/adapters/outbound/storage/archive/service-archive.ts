import { createHash, type Hash } from 'node:crypto';
import * as z from 'zod';
import { DomainError } from '../../../../domain/base/errors.ts';

/** An archive's header. */
export interface ArchiveHead {
  /** The version of the service that made it. */
  readonly service: string;
  readonly createdAt: string;
  readonly engine: 'sqlite' | 'mysql';
  /** The schema that its rows have. */
  readonly migrations: readonly string[];
  /** In base64; the first encrypts, all of them open. */
  readonly masterKeys: readonly string[];
}

export type ArchiveItem =
  | { readonly kind: 'table'; readonly table: string; readonly columns: readonly string[] }
  | { readonly kind: 'row'; readonly values: readonly unknown[] };

const FORMAT = 'drover-backup';

const Head = z.object({
  format: z.literal(FORMAT),
  version: z.literal(1),
  service: z.string(),
  created_at: z.string(),
  engine: z.enum(['sqlite', 'mysql']),
  migrations: z.array(z.string()),
  master_keys: z.array(z.string()),
});
const Table = z.strictObject({ table: z.string(), columns: z.array(z.string()) });
const End = z.strictObject({
  end: z.record(z.string(), z.strictObject({ rows: z.int(), sha256: z.string() })),
});

/** How much is in an archive. */
export interface ArchiveTotal {
  readonly tables: number;
  readonly rows: number;
}

/**
 * The lines of an archive: its header, each table and its rows, and a trailer that counts them; `onEnd` gets the
 * counts.
 */
export async function* archiveValues(
  head: ArchiveHead,
  items: AsyncIterable<ArchiveItem>,
  onEnd: (total: ArchiveTotal) => void,
): AsyncGenerator {
  yield {
    format: FORMAT,
    version: 1,
    service: head.service,
    created_at: head.createdAt,
    engine: head.engine,
    migrations: head.migrations,
    master_keys: head.masterKeys,
  };
  const counts = new Counts();
  for await (const item of items) {
    counts.add(item);
    yield item.kind === 'table' ? { table: item.table, columns: item.columns } : item.values;
  }
  yield { end: counts.result() };
  onEnd(counts.total());
}

/** An archive whose head was read; its items can be read once. */
export interface OpenArchive {
  readonly head: ArchiveHead;
  /** Throws `backup_unreadable` at its end where anything is missing or too much. */
  readonly items: AsyncGenerator<ArchiveItem>;
  /** How much came, once all of it has. */
  readonly total: () => ArchiveTotal;
}

/** Throws `backup_unreadable`. */
export async function openArchive(values: AsyncGenerator): Promise<OpenArchive> {
  const first = await values.next();
  const said = Head.safeParse(first.value);
  if (!said.success) throw unknown();
  const { service, created_at, engine, migrations, master_keys } = said.data;
  const counts = new Counts();
  return {
    head: { service, createdAt: created_at, engine, migrations, masterKeys: master_keys },
    items: itemsOf(values, counts),
    total: () => counts.total(),
  };
}

async function* itemsOf(values: AsyncGenerator, counts: Counts): AsyncGenerator<ArchiveItem> {
  let ended = false;
  for await (const value of values) {
    if (ended) throw unknown();
    if (Array.isArray(value)) {
      const item: ArchiveItem = { kind: 'row', values: value };
      counts.add(item);
      yield item;
      continue;
    }
    const table = Table.safeParse(value);
    if (table.success) {
      const item: ArchiveItem = { kind: 'table', ...table.data };
      counts.add(item);
      yield item;
      continue;
    }
    const end = End.safeParse(value);
    if (!end.success || !counts.equal(end.data.end)) throw unknown();
    ended = true;
  }
  if (!ended) throw unknown();
}

/** Rows and their digest, table by table. */
class Counts {
  readonly #tables = new Map<string, { rows: number; hash: Hash; sha256: string | null }>();
  #current: { rows: number; hash: Hash; sha256: string | null } | null = null;

  add(item: ArchiveItem): void {
    if (item.kind === 'table') {
      if (this.#tables.has(item.table)) throw unknown();
      this.#current = { rows: 0, hash: createHash('sha256'), sha256: null };
      this.#tables.set(item.table, this.#current);
      return;
    }
    if (!this.#current) throw unknown();
    this.#current.rows += 1;
    this.#current.hash.update(`${JSON.stringify(item.values)}\n`);
  }

  result(): Record<string, { rows: number; sha256: string }> {
    return Object.fromEntries(
      [...this.#tables].map(([table, counted]) => {
        counted.sha256 ??= counted.hash.digest('hex');
        return [table, { rows: counted.rows, sha256: counted.sha256 }];
      }),
    );
  }

  equal(said: object): boolean {
    return JSON.stringify(said) === JSON.stringify(this.result());
  }

  total(): ArchiveTotal {
    const counted = [...this.#tables.values()];
    return { tables: counted.length, rows: counted.reduce((sum, { rows }) => sum + rows, 0) };
  }
}

const unknown = (): DomainError =>
  new DomainError(
    'backup_unreadable',
    'The file can be decrypted, but it is not a complete backup of Drover.',
  );
