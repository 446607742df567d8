import { type Instant, toIso } from '../../../../domain/base/instant.ts';
import { ago, duration } from '../../../../domain/base/spans.ts';

interface MomentProps {
  readonly at: Instant;
  readonly now: Instant;
  /** The clock that it is shown on, in words for people. */
  readonly zone?: string;
}

const clock = (zone: string, more: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    ...more,
  });

const EXACT = clock('UTC', { year: 'numeric', second: '2-digit' });

/** `Sun, 22 Nov 2026, 01:02:25 UTC`; the page's script puts it on the reader's clock. */
export const exactly = (at: Instant): string => EXACT.format(at);

/** How long ago, with the exact time on hover; the page's script keeps it up to date. */
export function Ago({ at, now }: { readonly at: Instant | null; readonly now: Instant }) {
  if (at === null) return <span class="quiet">never</span>;
  return (
    <time datetime={toIso(at)} title={exactly(at)} data-ago>
      {ago(at, now)}
    </time>
  );
}

/** A time to come, in whole days as far as it is far. */
export function On({ at, otherwise }: { readonly at: Instant | null; readonly otherwise: string }) {
  if (at === null) return <span class="quiet">{otherwise}</span>;
  return (
    <time datetime={toIso(at)} title={exactly(at)}>
      {toIso(at).slice(0, 10)}
    </time>
  );
}

/** A time on the clocks of a zone, and how far off it is. */
export const At = ({ at, now, zone = 'UTC' }: MomentProps) => (
  <time datetime={toIso(at)} title={exactly(at)}>
    {clock(zone, {}).format(at)}{' '}
    <span class="quiet">{at > now ? `in ${duration(at - now)}` : ago(at, now)}</span>
  </time>
);
