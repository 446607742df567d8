import type { Order } from '../../../../domain/base/page.ts';
import type { Sort } from './data-table.tsx';

/** The order of a list, from its address, and the links of its headings. */
export interface Sorting<By extends string> {
  readonly order: Order<By>;
  readonly sort: (by: By) => Sort;
}

interface SortingProps<By extends string> {
  readonly path: string;
  readonly query: URLSearchParams;
  /** `-key` in the address is the other way round; anything else means `usual`. */
  readonly keys: readonly By[];
  readonly usual: Order<By>;
  /** Keys of which the first click lists the largest or the latest first. */
  readonly largestFirst?: readonly By[];
}

/** The link of a heading sorts by it from the first page, and a second click reverses that. */
export function sortingOf<By extends string>({
  path,
  query,
  keys,
  usual,
  largestFirst = [],
}: SortingProps<By>): Sorting<By> {
  const raw = query.get('sort') ?? '';
  const asked = keys.find((key) => raw === key || raw === `-${key}`);
  const order = asked === undefined ? usual : { by: asked, descending: raw.startsWith('-') };
  return {
    order,
    sort(by) {
      const isCurrent = order.by === by;
      const descending = isCurrent ? !order.descending : largestFirst.includes(by);
      const next = new URLSearchParams(query);
      next.delete('offset');
      next.set('sort', `${descending ? '-' : ''}${by}`);
      const direction = order.descending ? 'descending' : 'ascending';
      return { href: `${path}?${next}`, direction: isCurrent ? direction : null };
    },
  };
}

type Sortable = string | number | boolean | null | undefined;

/** Rows that are all there, in this order: unknown values come first, as in the lists that a database sorts. */
export function sortedRows<Row, By extends string>(
  rows: readonly Row[],
  { by, descending }: Order<By>,
  values: Readonly<Record<By, (row: Row) => Sortable>>,
): readonly Row[] {
  const ascending = rows.toSorted((one, other) => compare(values[by](one), values[by](other)));
  return descending ? ascending.toReversed() : ascending;
}

const NAMES = new Intl.Collator('en', { numeric: true });

function compare(one: Sortable, other: Sortable): number {
  const [left, right] = [one ?? null, other ?? null];
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  if (typeof left === 'string' && typeof right === 'string') return NAMES.compare(left, right);
  return Number(left) - Number(right);
}
