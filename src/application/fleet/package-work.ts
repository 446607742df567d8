import { isDomainError } from '../../domain/base/errors.ts';
import type { Inventory } from '../../domain/fleet/inventory.ts';
import { updateFacts } from '../../domain/fleet/pending-updates.ts';
import { type DetachedWork, isWorkMarker, recoveryOf, unlessCancelled } from '../jobs/detached-work.ts';
import type { JobContext, RunResult } from '../jobs/runner.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { PackageManager, PatchOutcome, PatchWork } from '../ports/fleet/package-manager.ts';
import type { RefreshInventory } from './refresh-inventory.ts';

/**
 * Follows the work of a package manager, which is never cut half-way. If it `recovers`, what is left of work that dies or
 * that a reboot interrupts is completed, and reported with that failure.
 */
export async function packageWork(
  context: JobContext,
  {
    manager,
    order,
    detachedWork,
    recovers,
  }: {
    readonly manager: PackageManager;
    readonly order: PatchWork;
    readonly detachedWork: DetachedWork;
    readonly recovers: boolean;
  },
): Promise<PatchOutcome> {
  const isUnderWay = isWorkMarker(context.detached.marker);
  const own = isUnderWay ? context : { ...context, detached: { ...context.detached, marker: null } };
  try {
    const ended = await detachedWork.execute(own, { ...order, mayBeCut: false, stopsWhereItCan: true });
    return manager.outcome(ended);
  } catch (error) {
    const isLost = isDomainError(error, 'work_died') || isDomainError(error, 'work_interrupted');
    if (!isLost || !recovers) throw error;
    context.log(error.message);
    const recovery = { ...manager.recovery(context.detached.runId), mayBeCut: false };
    const outcome = manager.outcome(await detachedWork.execute(recoveryOf(context), recovery));
    await detachedWork.cleanUp(recoveryOf(context));
    if (outcome.failure !== null) throw error;
    return { ...outcome, failure: error };
  }
}

/** The host's state after a change of its packages, which counts even if this fails: then it is `null`. */
export async function inventoryAfter(
  context: JobContext,
  refreshInventory: Pick<RefreshInventory, 'gather' | 'save'>,
): Promise<Inventory | null> {
  context.progress('Reading the host', null);
  // A cancel comes too late to matter; whatever else ends the job ends this too.
  const letGo = unlessCancelled(context.signal);
  try {
    const host = await context.openHost('commands', letGo);
    const inventory = await refreshInventory.gather(context.server.id, host, letGo);
    await refreshInventory.save(context.server, inventory);
    return inventory;
  } catch (error) {
    context.log(
      `The host could not be read afterwards: ${isDomainError(error) ? error.message : 'internal error'}`,
    );
    return null;
  }
}

/** What such a job records on its server. */
export const factsAfter = (after: Inventory | null, clock: Clock): NonNullable<RunResult['facts']> =>
  after === null
    ? {}
    : {
        ...(after.updates === null ? {} : updateFacts(after.updates)),
        rebootPending: after.rebootPending,
        lastOsCheckAt: clock.now(),
      };
