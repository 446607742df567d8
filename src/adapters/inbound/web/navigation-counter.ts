import type {
  CountForNavigation,
  NavigationCounts,
} from '../../../application/fleet/count-for-navigation.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { type Instant, SECOND } from '../../../domain/base/instant.ts';

/** So long numbers beside the navigation may be old. */
const KEEPS = 5 * SECOND;

interface Deps {
  readonly countForNavigation: Pick<CountForNavigation, 'execute'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The numbers beside the navigation, asked of the database at most every few seconds: people all see the same servers. */
export class NavigationCounter {
  readonly #deps: Deps;
  #kept: { readonly at: Instant; readonly counts: NavigationCounts } | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** `null` if the database does not answer: the page is more than its numbers. */
  async of(actor: Actor): Promise<NavigationCounts | null> {
    const { clock, countForNavigation } = this.#deps;
    const at = clock.now();
    if (this.#kept !== null && at - this.#kept.at < KEEPS) return this.#kept.counts;
    const counts = await countForNavigation.execute(actor).catch(() => null);
    this.#kept = counts && { at, counts };
    return counts;
  }

  /** Something was changed here. */
  forget(): void {
    this.#kept = null;
  }
}
