import { type Instant, toIso } from '../../../../domain/base/instant.ts';
import { ago, duration } from '../../../../domain/base/spans.ts';

/** A time on the clocks of a zone, and how far off it is. */
export function At({
  at,
  now,
  zone = 'UTC',
}: {
  readonly at: Instant;
  readonly now: Instant;
  readonly zone?: string;
}) {
  return (
    <time datetime={toIso(at)} title={toIso(at)}>
      {clock(at, zone)} <span class="quiet">{at > now ? `in ${duration(at - now)}` : ago(at, now)}</span>
    </time>
  );
}

const clock = (at: Instant, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(at);
