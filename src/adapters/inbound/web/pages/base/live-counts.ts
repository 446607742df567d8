import type { Clock } from '../../../../../application/ports/base/clock.ts';
import { SECOND } from '../../../../../domain/base/instant.ts';
import { shownCounts } from '../../components/sidebar.tsx';
import type { NavigationCounter } from '../../navigation-counter.ts';
import { stream, type WebRoute } from '../../route.ts';

export interface LiveCountDeps {
  readonly counts: Pick<NavigationCounter, 'of'>;
  readonly clock: Pick<Clock, 'sleep'>;
}

const LOOKS_EVERY = SECOND;

/** The numbers of the navigation, whenever one of them changes: an open page then shows them, and refreshes its lists. */
export const liveCountRoutes = ({ counts, clock }: LiveCountDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: '/live/events',
    needs: 'viewer',
    byItself: true,
    handle: ({ visitor: { actor } }) =>
      stream(async (sink, signal) => {
        for (let sent = ''; !signal.aborted; await clock.sleep(LOOKS_EVERY, signal)) {
          const seen = await counts.of(actor);
          if (seen === null || JSON.stringify(seen) === sent) continue;
          sent = JSON.stringify(seen);
          await sink.send('counts', shownCounts(seen));
        }
      }),
  },
];
