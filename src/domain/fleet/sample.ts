import type { Instant } from '../base/instant.ts';
import type { Activity } from './activity.ts';
import type { DiskFact, Inventory } from './inventory.ts';
import { SAMPLE_STEPS, type SampleStep } from './sample-steps.ts';
import type { ServerFacts } from './server.ts';

export const STEPS = Object.keys(SAMPLE_STEPS) as readonly SampleStep[];

/** The measurements of an inventory that change over time. Of each step there is one: the latest. Sizes are bytes. */
export interface Sample {
  readonly at: Instant;
  /** One-minute load average. */
  readonly load: number;
  readonly memoryTotalBytes: number;
  readonly memoryUsedBytes: number;
  /** The root first. */
  readonly disks: readonly SampledDisk[];
  /** `null`: unknown. */
  readonly updates: number | null;
  readonly securityUpdates: number | null;
  readonly containers: number | null;
  readonly activity: Activity | null;
}

/** The part of a sample that a forecast needs. */
export type DiskSample = Pick<Sample, 'at' | 'disks'>;

export type SampledDisk = Pick<DiskFact, 'mount' | 'totalBytes' | 'usedBytes'>;

/** File systems in a sample; the first ones of the inventory. With the longest names they fit into 64 KiB, a MySQL `TEXT`. */
const MAX_SAMPLED_DISKS = 64;
const MAX_MOUNT = 200;

/** `facts`: what is learnt from the same inventory. */
export const sampleOf = (inventory: Inventory, facts: Partial<ServerFacts>): Sample => ({
  at: inventory.at,
  load: inventory.cpuLoad,
  memoryTotalBytes: inventory.memoryTotalBytes,
  memoryUsedBytes: inventory.memoryUsedBytes,
  disks: inventory.disks.slice(0, MAX_SAMPLED_DISKS).map(({ mount, totalBytes, usedBytes }) => ({
    mount: mount.slice(0, MAX_MOUNT),
    totalBytes,
    usedBytes,
  })),
  updates: facts.osUpdatesCount ?? null,
  securityUpdates: facts.securityUpdatesCount ?? null,
  containers: inventory.containers?.length ?? null,
  activity: inventory.activity ?? null,
});

/** The start of a moment's step, in UTC. */
export const stepAt = (step: SampleStep, at: Instant): Instant => at - (at % SAMPLE_STEPS[step].everyMs);
