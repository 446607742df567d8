import { isDomainError } from '../../domain/base/errors.ts';
import type { ContainerChange } from '../../domain/compose/container-change.ts';
import type { ContainerFact, Inventory } from '../../domain/fleet/inventory.ts';
import type { ServerFacts } from '../../domain/fleet/server.ts';
import type { JobResult } from '../../domain/jobs/job.ts';
import type { RefreshInventory } from '../fleet/refresh-inventory.ts';
import type { JobContext } from '../jobs/runner.ts';
import type { ComposeOutcome } from '../ports/compose/container-engine.ts';

/** Reads the host after its containers changed, to update inventory and counts. */
export class AfterContainerWork {
  readonly #inventory: RefreshInventory;

  constructor({ refreshInventory }: { refreshInventory: RefreshInventory }) {
    this.#inventory = refreshInventory;
  }

  /** The work counts whatever becomes of this: a host that cannot be read is noted, nothing else. */
  async execute(context: JobContext, outcome: ComposeOutcome): Promise<Partial<ServerFacts>> {
    context.progress('Reading the host', null);
    const look = new AbortController();
    const letGo = (): void => look.abort(context.signal.reason);
    // A cancel comes too late to matter; whatever else ends the job ends this too.
    if (!context.signal.aborted) context.signal.addEventListener('abort', letGo, { once: true });
    else if (!isDomainError(context.signal.reason, 'job_cancelled')) letGo();
    try {
      const host = await context.openHost('commands', look.signal);
      const inventory = await this.#inventory.gather(context.server.id, host, look.signal);
      const changed = new Set(
        outcome.projects.flatMap(({ changes }) => changes.map((each) => `${each.service} ${each.directory}`)),
      );
      const current = inventory.containers?.filter((each) => changed.has(`${each.service} ${each.path}`));
      const learnt = new Map((current ?? []).map(({ name }) => [name, { update: false }] as const));
      const saved = await this.#inventory.save(context.server, withUpdates(inventory, learnt));
      return context.server.facts.lastContainerCheckAt === null ? {} : containerFacts(saved.containers);
    } catch (error) {
      context.log(
        `The host could not be read afterwards: ${isDomainError(error) ? error.message : 'internal error'}`,
      );
      return {};
    } finally {
      context.signal.removeEventListener('abort', letGo);
    }
  }
}

/** An outcome as a job's result. */
export function outcomeResult(outcome: ComposeOutcome): {
  readonly changes: readonly ContainerChange[];
  readonly result: JobResult;
} {
  const changes = outcome.projects.flatMap((each) =>
    each.changes.map((change) => ({ kind: 'image' as const, ...change })),
  );
  return {
    changes,
    result: {
      changes_count: changes.length,
      changes,
      projects: outcome.projects.map(({ directory, state, reason }) => ({ directory, state, reason })),
      rolled_back: outcome.projects.some(({ state }) => state === 'rolled_back'),
      pruned: outcome.pruned,
      notes: outcome.notes,
    },
  };
}

/** What a check or a patch learned about containers, by name; others stay as they are. */
export type LearntUpdates = ReadonlyMap<string, Partial<Pick<ContainerFact, 'update' | 'latest'>>>;

/** The inventory with the new facts. */
export const withUpdates = (inventory: Inventory, learnt: LearntUpdates): Inventory => ({
  ...inventory,
  containers: inventory.containers?.map((each) => ({ ...each, ...learnt.get(each.name) })) ?? null,
});

/** The count that the server's record keeps: compose projects with an update for any of their containers. */
export const containerFacts = (
  containers: readonly ContainerFact[] | null,
): Pick<ServerFacts, 'containerUpdatesCount'> => ({
  containerUpdatesCount: new Set(
    containers?.filter(({ update, path }) => update === true && path !== null).map(({ path }) => path),
  ).size,
});
