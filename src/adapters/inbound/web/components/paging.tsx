import type { Page } from '../../../../domain/base/page.ts';
import { grouped } from '../../../../domain/base/spans.ts';

/** Position in a long list, and links to other pages. The filter stays in the address. */
export function Paging({
  found,
  path,
  query,
}: {
  readonly found: Page<unknown>;
  readonly path: string;
  readonly query: URLSearchParams;
}) {
  const { total, offset, limit, items } = found;
  if (total <= limit && offset === 0) return null;
  const to = (start: number): string => {
    const next = new URLSearchParams(query);
    if (start <= 0) next.delete('offset');
    else next.set('offset', String(start));
    return next.size === 0 ? path : `${path}?${next}`;
  };
  return (
    <nav class="paging" aria-label="Pages">
      {offset > 0 ? <a href={to(offset - limit)}>‹ Previous</a> : <span />}
      <span class="quiet">
        {grouped(items.length === 0 ? 0 : offset + 1)} to {grouped(offset + items.length)} of {grouped(total)}
      </span>
      {offset + items.length < total ? <a href={to(offset + limit)}>Next ›</a> : <span />}
    </nav>
  );
}

/** The start of a list, from its address; invalid values mean the first page. */
export function offsetOf(query: URLSearchParams): number {
  const raw = query.get('offset') ?? '';
  return /^\d{1,7}$/.test(raw) ? Number(raw) : 0;
}
