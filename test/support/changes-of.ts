import type { Database } from '../../src/adapters/outbound/storage/sql/database.ts';

export interface Change {
  readonly sql: string;
  /** How many values it names. */
  readonly values: number;
}

/** The statements that change or remove something, and how many transactions were opened for them. */
export async function changesOf(
  { knex }: Database,
  work: () => Promise<unknown>,
): Promise<{ readonly changes: readonly Change[]; readonly begun: number }> {
  const changes: Change[] = [];
  let begun = 0;
  const listen = ({ sql, bindings = [] }: { sql: string; bindings?: unknown[] }): void => {
    if (/^begin/i.test(sql)) begun += 1;
    if (/^(update|delete)/i.test(sql)) changes.push({ sql, values: bindings.length });
  };
  knex.on('query', listen);
  await work();
  knex.removeListener('query', listen);
  return { changes, begun };
}
