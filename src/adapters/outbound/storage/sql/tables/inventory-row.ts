import { z } from 'zod';
import type { Activity } from '../../../../../domain/fleet/activity.ts';
import { type Inventory, OS_FAMILIES } from '../../../../../domain/fleet/inventory.ts';
import { PORT_PROTOCOLS } from '../../../../../domain/fleet/published-port.ts';

const text = z.string();
const maybe = text.nullable();

const PendingUpdate = z.object({
  name: text,
  from: maybe,
  to: text,
  security: z.boolean(),
  origin: maybe,
  held: z.boolean(),
  seenAt: z.number().optional(),
});

const Port = z.object({
  address: maybe,
  hostPort: z.number(),
  containerPort: z.number(),
  protocol: z.enum(PORT_PROTOCOLS),
  count: z.number(),
});

const Container = z.object({
  id: maybe.default(null),
  name: text,
  state: text,
  running: z.boolean(),
  image: text,
  status: text,
  project: maybe,
  service: maybe,
  path: maybe,
  ports: z.array(Port).optional(),
  cpuPercent: z.number().optional(),
  memoryBytes: z.number().optional(),
  restarts: z.number().optional(),
  update: z.boolean().nullable(),
  latest: z.object({ digest: text, since: z.number() }).optional(),
});

const Disk = z.object({ mount: text, filesystem: text, totalBytes: z.number(), usedBytes: z.number() });

const PackageLists = z.object({
  stamp: text,
  until: z.number(),
  sources: z.array(z.object({ uri: text, changedAtSeconds: z.number() })),
  notes: z.array(text),
});

export const StoredActivity: z.ZodType<Activity> = z.object({
  bootId: maybe,
  receivedBytes: z.number().nullable(),
  sentBytes: z.number().nullable(),
  readBytes: z.number().nullable(),
  writtenBytes: z.number().nullable(),
  swapTotalBytes: z.number().nullable(),
  swapUsedBytes: z.number().nullable(),
});

/** A stored inventory. Fields of later versions need a default here, since older rows lack them. */
export const StoredInventory: z.ZodType<Inventory> = z.object({
  at: z.number(),
  hostname: text,
  osType: text,
  osId: maybe,
  osFamily: z.enum(OS_FAMILIES).nullable(),
  osVersion: maybe,
  osPretty: maybe,
  kernel: text,
  arch: text,
  hardware: maybe,
  cpuModel: maybe,
  cpuCores: z.number(),
  cpuLoad: z.number(),
  memoryTotalBytes: z.number(),
  memoryUsedBytes: z.number(),
  diskTotalBytes: z.number(),
  diskUsedBytes: z.number(),
  disks: z.array(Disk),
  uptimeSeconds: z.number(),
  activity: StoredActivity.optional(),
  bootId: maybe,
  packagesCount: z.number().nullable(),
  updates: z.array(PendingUpdate).nullable(),
  packagesStamp: maybe.default(null),
  packagesNotes: z.array(text).default([]),
  packageLists: PackageLists.nullable().default(null),
  rebootPending: z.boolean(),
  containerEngine: z.enum(['docker', 'podman']).nullable(),
  containers: z.array(Container).nullable(),
  failedUnits: z.array(z.object({ name: text, description: text })).nullable(),
});
