import { isDomainError } from '../../domain/base/errors.ts';
import { UseCase } from '../base/use-case.ts';
import { aboutWork, type DetachedWork, isWorkMarker, recoveryOf } from '../jobs/detached-work.ts';
import type { JobContext } from '../jobs/runner.ts';
import type { ComposeOrder, ComposeOutcome, EngineKind } from '../ports/compose/container-engine.ts';

/** An empty order: its work was started before, or never will be. */
const NOTHING: ComposeOrder = { kind: 'patch', projects: [], prune: false };

/** Does an order as detached work that is never cut half-way, and reads how it went. */
export class ComposeRun extends UseCase<'engine', { readonly detachedWork: DetachedWork }> {
  /** Whether a previous worker has started this job's work: then it is only followed. */
  isUnderWay({ detached }: JobContext): boolean {
    return isWorkMarker(detached.marker);
  }

  /** The previous worker's `about` for `begin`. */
  aboutOf({ detached }: JobContext): number | null {
    return aboutWork(detached.marker);
  }

  /**
   * Starts it; throws as `DetachedWork.execute`. `about`: the id of its stored record, for a worker that takes the
   * job over.
   */
  begin(
    context: JobContext,
    order: ComposeOrder,
    engine: EngineKind,
    about?: number,
  ): Promise<ComposeOutcome> {
    return this.#execute(context, order, engine, about);
  }

  /** Continues a previous worker's work. If that never started, the failure is `work_not_started`. */
  follow(context: JobContext): Promise<ComposeOutcome> {
    return this.#execute(context, NOTHING, 'docker');
  }

  /**
   * Does what `begin` and `follow` do; if the work died, or a reboot interrupted it, a guarded project is rolled back
   * by other detached work.
   */
  async orRecover(context: JobContext, work: () => Promise<ComposeOutcome>): Promise<ComposeOutcome> {
    try {
      return await work();
    } catch (error) {
      if (!isDomainError(error, 'work_died') && !isDomainError(error, 'work_interrupted')) throw error;
      context.log(error.message);
      const { engine, detachedWork } = this.deps;
      const recovery = { ...engine.recovery(context.detached.runId), mayBeCut: false };
      const outcome = engine.outcome(await detachedWork.execute(recoveryOf(context), recovery));
      if (isDomainError(outcome.failure, 'work_not_started')) throw error;
      await detachedWork.cleanUp(recoveryOf(context));
      return outcome;
    }
  }

  /** Removes the run's files from the host. */
  cleanUp(context: JobContext): Promise<void> {
    return this.deps.detachedWork.cleanUp(context);
  }

  async #execute(
    context: JobContext,
    order: ComposeOrder,
    engine: EngineKind,
    about?: number,
  ): Promise<ComposeOutcome> {
    context.progress('Working on the containers', null);
    const work = this.deps.engine.work(order, engine);
    return this.deps.engine.outcome(
      await this.deps.detachedWork.execute(context, { ...work, mayBeCut: false, about }),
    );
  }
}
