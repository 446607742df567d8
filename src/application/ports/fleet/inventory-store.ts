import type { Instant } from '../../../domain/base/instant.ts';
import type { FleetDay } from '../../../domain/fleet/day-strip.ts';
import type { Inventory } from '../../../domain/fleet/inventory.ts';
import type { DiskSample, Sample } from '../../../domain/fleet/sample.ts';
import type { SampleStep } from '../../../domain/fleet/sample-steps.ts';
import type { ServerFacts } from '../../../domain/fleet/server.ts';

/** The latest inventory of each server. */
export interface InventoryStore {
  /**
   * Also updates the server's own record, and sets its services to what `servicesOf` returns, in the same
   * transaction. A server that was removed in the meantime gets neither.
   */
  save(serverId: number, inventory: Inventory, facts?: Partial<ServerFacts>): Promise<void>;
  find(serverId: number): Promise<Inventory | null>;
  /** Those of the given servers that have one. At most 100 ids. */
  findMany(serverIds: readonly number[]): Promise<ReadonlyMap<number, Inventory>>;
  /** Servers whose inventory has the text anywhere, whatever the case; by id, at most 10,000. */
  mentioning(text: string): Promise<readonly number[]>;
  /** Adds samples of before, the oldest first. Those of the same hours and days are replaced. */
  addSamples(serverId: number, samples: readonly Sample[]): Promise<void>;
  /** The samples of a server from then on, the oldest first; the latest `limit` of them. */
  samples(serverId: number, query: SampleQuery): Promise<readonly Sample[]>;
  /** The file systems on each day from then on, the oldest first. */
  diskDays(serverId: number, from: Instant): Promise<readonly DiskSample[]>;
  /** Days with samples from `from` on and before `until`, of all servers together, removed ones included. */
  fleetDays(from: Instant, until: Instant): Promise<readonly FleetDay[]>;
  /** Deletes at most `limit` samples of a step that are older. Returns whether there may be more. */
  forgetSamples(step: SampleStep, before: Instant, limit: number): Promise<boolean>;
}

export interface SampleQuery {
  readonly step: SampleStep;
  readonly from: Instant;
  readonly limit: number;
}
