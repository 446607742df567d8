import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { withPlace } from '../../components/crumbs.tsx';
import { size } from '../../components/size.ts';

/** As many bars; those around the snapshot that is shown. */
export const MAX_BARS = 40;
const HEIGHT = 40;
const MIN_BAR = 3;

const SHORT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** `22 Nov, 14:32`, on the clock of UTC. */
export const shortTime = (at: Instant): string => SHORT.format(at);

interface TimelineProps {
  /** Of one source, the oldest first. */
  readonly snapshots: readonly Snapshot[];
  readonly shown: Snapshot;
  /** The place that a click keeps. */
  readonly p: string;
}

/** The snapshots of a source as bars by size; each leads to the same place at another time. */
export function SnapshotTimeline({ snapshots, shown, p }: TimelineProps) {
  if (snapshots.length < 2) return null;
  const most = Math.max(...snapshots.map(({ totalBytes }) => totalBytes), 1);
  return (
    <nav class="timeline" aria-label={`Snapshots of ${shown.sourceName}`}>
      {snapshots.map(({ id, startedAt, totalBytes, pinnedAt }) => {
        const height = Math.max(MIN_BAR, Math.round((HEIGHT * totalBytes) / most));
        const words = `${shortTime(startedAt)} UTC, ${size(totalBytes)}${pinnedAt === null ? '' : ', pinned'}`;
        return (
          <a
            key={id}
            href={withPlace(`/snapshots/${id}`, p)}
            aria-label={words}
            title={words}
            aria-current={id === shown.id ? 'page' : undefined}
            class={pinnedAt === null ? undefined : 'pinned'}
          >
            <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
              <rect x="0" y={HEIGHT - height} width="10" height={height} />
            </svg>
          </a>
        );
      })}
    </nav>
  );
}
