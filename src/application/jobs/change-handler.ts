import type { Actor } from '../../domain/access/actor.ts';
import type { Change, ChangePreview } from '../../domain/jobs/requested-change.ts';

/** One kind of change, as a request for approval needs it. */
export interface ChangeHandler<C extends Change> {
  /** A dry run with the checks of the change itself; null: it would change nothing. */
  preview(actor: Actor, change: C): Promise<ChangePreview | null>;
  /** Makes it, only if the state is still as in the preview. For a requester whose request was approved. */
  perform(actor: Actor, change: C, preview: ChangePreview): Promise<void>;
}
