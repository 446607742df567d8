import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import { DAY, type Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { withPlace } from '../../components/crumbs.tsx';
import { size } from '../../components/size.ts';
import { Day, DayClock, timeText } from '../../components/time.tsx';

/** As many bars; those around the snapshot that is shown. */
export const MAX_BARS = 40;
/** Bars with a date below them; phones show fewer. */
const MAX_DATES = 14;
const HEIGHT = 16;
const MIN_BAR = 2;
/** Of the largest: bars that differ by less say nothing. */
const MIN_DIFFERENCE = 0.1;

interface TimelineProps {
  /** Of one source, the oldest first. */
  readonly snapshots: readonly Snapshot[];
  readonly shown: Snapshot;
  /** The place that a click keeps. */
  readonly p: string;
}

/** The snapshots of a source by time, with bars if they transferred different amounts; each leads to the same place at another time. */
export function SnapshotTimeline({ snapshots, shown, p }: TimelineProps) {
  if (snapshots.length < 2) return null;
  const amounts = snapshots.map(({ transferredBytes }) => transferredBytes);
  const most = Math.max(...amounts, 1);
  const hasBars = Math.min(...amounts) < most * (1 - MIN_DIFFERENCE);
  const dayOf = (at: Instant): Instant => at - (at % DAY);
  const isLoneOn = (at: Instant): boolean =>
    snapshots.filter(({ startedAt }) => dayOf(startedAt) === dayOf(at)).length === 1;
  const step = Math.ceil(snapshots.length / MAX_DATES);
  return (
    <section class="card">
      <header>
        <h2>
          {count(snapshots.length, 'snapshot')}
          {hasBars ? ', by data transferred' : ''}
        </h2>
        {hasBars ? <span class="acts quiet">up to {size(most)}</span> : null}
      </header>
      <nav class="timeline" aria-label={`Snapshots of ${shown.sourceName}`}>
        {snapshots.map(({ id, startedAt, totalBytes, transferredBytes, pinnedAt }, index) => {
          const height = Math.max(MIN_BAR, Math.round((HEIGHT * transferredBytes) / most));
          const words = `${timeText(startedAt)}, ${size(transferredBytes)} of ${size(totalBytes)} transferred${pinnedAt === null ? '' : ', pinned'}`;
          return (
            <a
              key={id}
              href={withPlace(`/snapshots/${id}`, p)}
              aria-label={words}
              title={words}
              data-times
              aria-current={id === shown.id ? 'page' : undefined}
              class={pinnedAt === null ? undefined : 'pinned'}
            >
              {hasBars ? (
                <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
                  <rect x="0" y={HEIGHT - height} width="10" height={height} />
                </svg>
              ) : null}
              <span>
                {(snapshots.length - 1 - index) % step !== 0 ? null : isLoneOn(startedAt) ? (
                  <Day at={startedAt} isShort />
                ) : (
                  <DayClock at={startedAt} />
                )}
              </span>
            </a>
          );
        })}
      </nav>
    </section>
  );
}
