import type { Knex } from 'knex';
import type { Page, PageRequest } from '../../domain/page.ts';

/**
 * One window of a list and how many there are in all: two queries, whatever the window. `read` selects and orders. InnoDB
 * counts by going through an index: over a long history that takes longer than all else on a page.
 */
export async function pageOf<Item>(
  filtered: Knex.QueryBuilder,
  { limit, offset, uncounted }: PageRequest,
  read: (window: Knex.QueryBuilder) => Promise<readonly Item[]>,
): Promise<Page<Item>> {
  if (uncounted) {
    const items = await read(filtered.limit(limit).offset(offset));
    return { items, total: offset + items.length, limit, offset };
  }
  const counted = (await filtered.clone().count({ total: '*' }).first()) as { total: number };
  const items = await read(filtered.clone().limit(limit).offset(offset));
  return { items, total: counted.total, limit, offset };
}
