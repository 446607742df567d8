import type { Actor } from '../../domain/access/actor.ts';
import type { Change, ChangeKind, ChangePreview } from '../../domain/jobs/requested-change.ts';
import type { ScheduleChanges } from '../automation/schedule-changes.ts';
import type { FileChanges } from '../files/file-changes.ts';
import type { SetFeatures } from '../fleet/set-features.ts';
import type { ChangeHandler } from './change-handler.ts';

interface Deps {
  readonly setFeatures: SetFeatures;
  readonly fileChanges: FileChanges;
  readonly scheduleChanges: ScheduleChanges;
}

/** Every kind of change that can be requested, with the use case that makes it. */
export class ChangeHandlers {
  readonly #handlers: { readonly [K in ChangeKind]: ChangeHandler<Extract<Change, { kind: K }>> };

  constructor({ setFeatures, fileChanges, scheduleChanges }: Deps) {
    this.#handlers = {
      set_features: setFeatures,
      write_file: fileChanges,
      mkdir: fileChanges,
      rename_file: fileChanges,
      delete_file: fileChanges,
      add_schedule: scheduleChanges,
      edit_schedule: scheduleChanges,
      remove_schedule: scheduleChanges,
    };
  }

  preview(actor: Actor, change: Change): Promise<ChangePreview | null> {
    return this.#of(change).preview(actor, change);
  }

  perform(actor: Actor, change: Change, preview: ChangePreview): Promise<void> {
    return this.#of(change).perform(actor, change, preview);
  }

  #of({ kind }: Change): ChangeHandler<Change> {
    return this.#handlers[kind];
  }
}
