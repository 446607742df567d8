import type { Knex } from 'knex';
import type { Order, Page, PageRequest } from '../../../../domain/base/page.ts';

/**
 * One window of a list and how many there are in all: two queries, whatever the window. `read` selects and orders. InnoDB
 * counts by going through an index: over a long history that takes longer than all else on a page.
 */
export async function pageOf<Item>(
  filtered: Knex.QueryBuilder,
  { limit, offset, uncounted }: PageRequest,
  read: (window: Knex.QueryBuilder) => Promise<readonly Item[]>,
  countAll: () => Promise<number> = () => countOf(filtered.clone()),
): Promise<Page<Item>> {
  if (uncounted) {
    const items = await read(filtered.limit(limit).offset(offset));
    return { items, total: offset + items.length, limit, offset };
  }
  const total = await countAll();
  const items = await read(filtered.clone().limit(limit).offset(offset));
  return { items, total, limit, offset };
}

/** The columns of an order; both databases have unknown values first. */
export const orderedBy = <By extends string>(
  { by, descending }: Order<By>,
  columns: Readonly<Record<By, readonly string[]>>,
): { column: string; order: 'asc' | 'desc' }[] =>
  columns[by].map((column) => ({ column, order: descending ? 'desc' : 'asc' }));

/**
 * The same for a query that has to scan everything: once, for the ids of the window and the total count. `ids`
 * selects `id` and orders; `read` gets them in that order.
 */
export async function pageOfFound<Item>(
  ids: Knex.QueryBuilder,
  { limit, offset, uncounted }: PageRequest,
  read: (ids: readonly number[]) => Promise<readonly Item[]>,
): Promise<Page<Item>> {
  const found: { id: number; total?: number }[] = await ids
    .clone()
    .select(uncounted ? [] : [ids.client.raw('COUNT(*) OVER () AS total')])
    .limit(limit)
    .offset(offset);
  const items = found.length === 0 ? [] : await read(found.map(({ id }) => id));
  const [first] = found;
  if (uncounted || first) return { items, total: first?.total ?? offset + items.length, limit, offset };
  // Beyond the end no row carries the total.
  return {
    items,
    total: offset === 0 ? 0 : await countOf(ids.clone().clear('select').clear('order')),
    limit,
    offset,
  };
}

async function countOf(filtered: Knex.QueryBuilder): Promise<number> {
  return ((await filtered.count({ total: '*' }).first()) as { total: number }).total;
}
