import { visibleValue } from '../../domain/base/visible-text.ts';
import { FORECAST_FROM_MS, fillingDisk, isFillingUp } from '../../domain/fleet/disk-forecast.ts';
import { type Inventory, keepingVerdicts } from '../../domain/fleet/inventory.ts';
import { listedUpdates, withFirstSeen } from '../../domain/fleet/pending-updates.ts';
import { sampleOf, stepAt } from '../../domain/fleet/sample.ts';
import type { Server, ServerFacts } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import type { GatherOptions } from '../ports/fleet/host-facts.ts';
import type { HostQuestion } from '../ports/fleet/host-question.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import { type HostOpener, withHost } from './host-opener.ts';
import type { OsSupport } from './os-support.ts';
import type { RecordHostState } from './record-host-state.ts';

interface Deps {
  readonly opener: HostOpener;
  readonly recordHostState: Pick<RecordHostState, 'execute'>;
  readonly osSupport: Pick<OsSupport, 'endOf'>;
  /** Of the service's own machine; `null` if unknown. */
  readonly ownBootId?: string | null;
}

/** Reads a host's inventory and stores it, and what changed since the reading before. */
export class RefreshInventory extends UseCase<'facts' | 'inventories' | 'clock', Deps> {
  /** Throws as `RemoteHosts.connect` and `HostFacts.gather`. */
  async execute(server: Server, signal: AbortSignal): Promise<Inventory> {
    return withHost(this.deps.opener, server, { signal }, async (host) => {
      const inventory = await this.gather(server.id, host, signal);
      await this.save(server, inventory);
      await this.deps.recordHostState.execute(server.id, host, inventory, signal);
      return inventory;
    });
  }

  /** Stores nothing. `former` is the previous inventory, if the caller has read it already. */
  async gather(
    serverId: number,
    host: RemoteHost,
    signal: AbortSignal,
    options: Pick<GatherOptions, 'former' | 'checkFollows'> = {},
  ): Promise<Inventory> {
    const { checkFollows = false, former = await this.former(serverId) } = options;
    const found = await this.deps.facts.gather(host, { signal, former, checkFollows });
    return { ...found, at: this.deps.clock.now() };
  }

  /** `gather` for a command that asks for more; an update check follows in it. */
  question(former: Inventory): HostQuestion<Inventory> {
    const question = this.deps.facts.question({ former, checkFollows: true });
    return { ...question, read: (said) => ({ ...question.read(said), at: this.deps.clock.now() }) };
  }

  /** The previous inventory. */
  former(serverId: number): Promise<Inventory | null> {
    return this.deps.inventories.find(serverId);
  }

  /** Returns what was saved: facts from a check about existing containers are kept, and since when updates are known. */
  async save(server: Pick<Server, 'id' | 'facts'>, inventory: Inventory): Promise<Inventory> {
    const found = visibleValue(inventory);
    const isMore = (inventory.containers?.length ?? 0) + (inventory.updates?.length ?? 0) > 0;
    const [former, diskFull, supportEndsAt] = await Promise.all([
      isMore ? this.deps.inventories.find(server.id) : null,
      this.#diskFull(server.id, found),
      this.deps.osSupport.endOf(found),
    ]);
    const saved = withFirstSeen(keepingVerdicts(found, former), former);
    await this.deps.inventories.save(server.id, saved, {
      ...factsOf(saved),
      ...listedUpdates(saved.updates, server.facts.lastOsCheckAt !== null),
      ...diskFull,
      supportEndsAt,
      ...this.#ownMachine(saved),
    });
    return saved;
  }

  /** By the days before this one, which are read only if they matter, and what is found now. */
  async #diskFull(
    serverId: number,
    inventory: Inventory,
  ): Promise<Pick<ServerFacts, 'diskFullAt' | 'diskFullMount'>> {
    const { at } = inventory;
    if (!inventory.disks.some(isFillingUp)) return { diskFullAt: null, diskFullMount: null };
    const days = await this.deps.inventories.diskDays(serverId, at - FORECAST_FROM_MS);
    const before = days.filter((sample) => sample.at < stepAt('day', at));
    const filling = fillingDisk([...before, sampleOf(inventory, {})]);
    return { diskFullAt: filling?.at ?? null, diskFullMount: filling?.mount ?? null };
  }

  /**
   * A different boot id takes nothing back: another replica may run on that machine, and the id changes with each boot. An
   * edited address does.
   */
  #ownMachine({ bootId }: Inventory): Pick<ServerFacts, 'onOwnMachine'> | null {
    return bootId !== null && bootId === (this.deps.ownBootId ?? null) ? { onOwnMachine: true } : null;
  }
}

/** The part of an inventory that the server's own record keeps as it is. */
const factsOf = (inventory: Inventory): Partial<ServerFacts> => ({
  osType: inventory.osType,
  osId: inventory.osId,
  osVersion: inventory.osVersion,
  osPretty: inventory.osPretty,
  arch: inventory.arch,
  hardware: inventory.hardware,
  cpuCores: inventory.cpuCores,
  cpuLoad: inventory.cpuLoad,
  memoryTotalBytes: inventory.memoryTotalBytes,
  memoryUsedBytes: inventory.memoryUsedBytes,
  diskTotalBytes: inventory.diskTotalBytes,
  diskUsedBytes: inventory.diskUsedBytes,
  containerCount: inventory.containers?.length ?? null,
  rebootPending: inventory.rebootPending,
  lastSeenAt: inventory.at,
  inventoryAt: inventory.at,
});
