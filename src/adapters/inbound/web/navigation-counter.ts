import type {
  CountForNavigation,
  NavigationCounts,
} from '../../../application/fleet/count-for-navigation.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { type Instant, SECOND } from '../../../domain/base/instant.ts';

/** So long numbers beside the navigation may be old. */
const KEEPS = 2 * SECOND;
/** Users whose numbers are kept; each sees other servers. */
const MAX_KEPT = 100;

interface Deps {
  readonly countForNavigation: Pick<CountForNavigation, 'execute'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The numbers beside the navigation, asked of the database at most every few seconds: most people see the same servers. */
export class NavigationCounter {
  readonly #deps: Deps;
  #kept = new Map<string, { readonly at: Instant; readonly counts: NavigationCounts }>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** `null` if the database does not answer: the page is more than its numbers. */
  async of(actor: Actor): Promise<NavigationCounts | null> {
    const { clock, countForNavigation } = this.#deps;
    const at = clock.now();
    const key = actor.serverIds === null ? 'all' : [...actor.serverIds].join(',');
    // What is counted while something changes is not kept.
    const all = this.#kept;
    const kept = all.get(key);
    if (kept && at - kept.at < KEEPS) return kept.counts;
    const counts = await countForNavigation.execute(actor).catch(() => null);
    if (all.size >= MAX_KEPT) all.clear();
    if (counts) all.set(key, { at, counts });
    return counts;
  }

  /** Something was changed here. */
  forget(): void {
    this.#kept = new Map();
  }
}
