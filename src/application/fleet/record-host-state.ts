import type { HostState, StateFacts } from '../../domain/fleet/host-state.ts';
import { systemOf } from '../../domain/fleet/installed-package.ts';
import type { ContainerFact, Inventory } from '../../domain/fleet/inventory.ts';
import { UseCase } from '../base/use-case.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';

/** Reads a host's state, and records its packages and what differs from the reading before. */
export class RecordHostState extends UseCase<
  'hostStates' | 'hostChanges' | 'log' | 'packages.save' | 'vulnerabilities.saveFixes'
> {
  /** With the inventory of that moment. A failure is logged: the inventory is worth more, and the next reading comes. */
  async execute(
    serverId: number,
    host: RemoteHost,
    inventory: Inventory,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const { installed, fixes, ...read } = await this.deps.hostStates.read(host, signal);
      const state: HostState = { ...read, container: containerFacts(inventory.containers) };
      await this.deps.hostChanges.record(serverId, state, inventory.at);
      const system = systemOf(inventory.osId, inventory.osVersion);
      if (installed !== null) await this.deps.packages.save(serverId, system, installed);
      if (fixes !== null) await this.deps.vulnerabilities.saveFixes(serverId, system, fixes);
    } catch (error) {
      if (signal.aborted) throw error;
      this.deps.log.warn('could not record what changed on a host', { serverId, error: String(error) });
    }
  }
}

/** `shop-db-1` → `mariadb:11, running, 3f2a41c09d12`; the id shows that a container was replaced. */
const containerFacts = (containers: readonly ContainerFact[] | null): StateFacts =>
  containers &&
  new Map(
    containers.map(({ name, image, running, id }) => [
      name,
      [image, running ? 'running' : 'stopped', id?.slice(0, 12)].filter(Boolean).join(', '),
    ]),
  );
