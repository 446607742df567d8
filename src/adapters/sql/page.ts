import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../domain/page.ts';

/** One window of a list and how many there are in all: two queries, whatever the window. `read` selects and orders. */
export async function pageOf<Item>(
  filtered: Knex.QueryBuilder,
  { limit, offset }: PageRequest,
  read: (window: Knex.QueryBuilder) => Promise<readonly Item[]>,
): Promise<Page<Item>> {
  const counted = (await filtered.clone().count({ total: '*' }).first()) as { total: number };
  const items = await read(filtered.clone().limit(limit).offset(offset));
  return { items, total: counted.total, limit, offset };
}
