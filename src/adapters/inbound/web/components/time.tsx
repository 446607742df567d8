import { type Instant, toIso } from '../../../../domain/base/instant.ts';
import { ago } from '../../../../domain/base/spans.ts';

/** How long ago, with the exact time on hover. */
export function Ago({ at, now }: { readonly at: Instant | null; readonly now: Instant }) {
  if (at === null) return <span class="quiet">never</span>;
  return (
    <time datetime={toIso(at)} title={toIso(at)}>
      {ago(at, now)}
    </time>
  );
}

/** A time to come, in whole days as far as it is far. */
export function On({ at, otherwise }: { readonly at: Instant | null; readonly otherwise: string }) {
  if (at === null) return <span class="quiet">{otherwise}</span>;
  return (
    <time datetime={toIso(at)} title={toIso(at)}>
      {toIso(at).slice(0, 10)}
    </time>
  );
}
