import * as z from 'zod';
import { toIso } from '../../../../domain/base/instant.ts';
import type {
  ContainerFact,
  DiskFact,
  Inventory,
  PendingUpdate,
} from '../../../../domain/fleet/inventory.ts';
import { PORT_PROTOCOLS, type PublishedPort } from '../../../../domain/fleet/published-port.ts';
import { count, countOrNull, id, text, textOrNull, timeOrNull } from './values.ts';

const updateSchema = z.strictObject({
  name: text,
  from: textOrNull.describe('null: not installed yet'),
  to: text,
  security: z.boolean(),
  origin: textOrNull,
  held: z.boolean(),
  cves: z
    .array(text)
    .optional()
    .describe(
      'Of one server: CVEs that the update fixes, by the imported security data; missing: none known',
    ),
});

const portSchema = z.strictObject({
  address: textOrNull.describe('null: all addresses of the host'),
  host_port: count,
  container_port: count,
  protocol: z.enum(PORT_PROTOCOLS),
  count: count.describe('Number of consecutive ports, from these two on'),
});

const containerSchema = z.strictObject({
  name: text,
  state: text,
  running: z.boolean(),
  image: text,
  status: text,
  project: textOrNull,
  service: textOrNull,
  path: textOrNull,
  ports: z
    .array(portSchema)
    .nullable()
    .describe('Published ports, at most 20; null: not read since the last upgrade of Drover'),
  cpu_percent: z
    .number()
    .nullable()
    .describe('Of one processor, when the inventory was taken; null: unknown, or it does not run'),
  memory_bytes: countOrNull.describe('null: unknown, or it does not run'),
  restarts: countOrNull.describe('Automatic restarts by the engine; null: unknown'),
  update: z.boolean().nullable().describe('null: never checked'),
});

const diskSchema = z.strictObject({
  mount: text,
  filesystem: text,
  total_bytes: count,
  used_bytes: count,
});

/** One host's last inventory. Until the first one, all but its id and name are null, and `status` is `unknown`. */
export const inventorySchema = z.strictObject({
  server_id: id,
  name: text,
  status: z.enum(['known', 'unknown']),
  at: timeOrNull,
  os_pretty: textOrNull,
  kernel: textOrNull,
  arch: textOrNull,
  hardware: textOrNull,
  cpu_cores: countOrNull,
  memory_total_bytes: countOrNull,
  memory_used_bytes: countOrNull,
  disk_total_bytes: countOrNull,
  disk_used_bytes: countOrNull,
  disks: z.array(diskSchema).nullable().describe('Local file systems, each once; the root first'),
  packages_count: countOrNull,
  updates_count: countOrNull.describe('Pending updates that are not held, whatever the search'),
  security_updates_count: countOrNull,
  containers_count: countOrNull,
  updates: z.array(updateSchema).nullable(),
  containers: z.array(containerSchema).nullable(),
});

/** `inventory`: what a search found of the `whole`. `cves`: by the name of the update that fixes them. */
export function inventoryView(
  server: { readonly id: number; readonly name: string },
  inventory: Inventory | null,
  whole: Inventory | null = inventory,
  cves: Cves = NO_CVES,
): z.output<typeof inventorySchema> {
  return {
    server_id: server.id,
    name: server.name,
    status: inventory === null ? 'unknown' : 'known',
    at: inventory === null ? null : toIso(inventory.at),
    os_pretty: inventory?.osPretty ?? null,
    kernel: inventory?.kernel ?? null,
    arch: inventory?.arch ?? null,
    hardware: inventory?.hardware ?? null,
    cpu_cores: inventory?.cpuCores ?? null,
    memory_total_bytes: inventory?.memoryTotalBytes ?? null,
    memory_used_bytes: inventory?.memoryUsedBytes ?? null,
    disk_total_bytes: inventory?.diskTotalBytes ?? null,
    disk_used_bytes: inventory?.diskUsedBytes ?? null,
    disks: inventory?.disks.map(diskView) ?? null,
    packages_count: inventory?.packagesCount ?? null,
    updates_count: pending(whole)?.length ?? null,
    security_updates_count: pending(whole)?.filter(({ security }) => security).length ?? null,
    containers_count: whole?.containers?.length ?? null,
    updates: inventory?.updates?.map((each) => updateView(each, cves)) ?? null,
    containers: inventory?.containers?.map(containerView) ?? null,
  };
}

/** Held packages are not pending. */
const pending = (inventory: Inventory | null): readonly PendingUpdate[] | undefined =>
  inventory?.updates?.filter(({ held }) => !held);

const diskView = (disk: DiskFact): z.output<typeof diskSchema> => ({
  mount: disk.mount,
  filesystem: disk.filesystem,
  total_bytes: disk.totalBytes,
  used_bytes: disk.usedBytes,
});

type Cves = ReadonlyMap<string, readonly string[]>;
const NO_CVES: Cves = new Map();

const updateView = (update: PendingUpdate, cves: Cves): z.output<typeof updateSchema> => ({
  name: update.name,
  from: update.from,
  to: update.to,
  security: update.security,
  origin: update.origin,
  held: update.held,
  ...(cves.has(update.name) ? { cves: [...(cves.get(update.name) ?? [])] } : {}),
});

const portView = (port: PublishedPort): z.output<typeof portSchema> => ({
  address: port.address,
  host_port: port.hostPort,
  container_port: port.containerPort,
  protocol: port.protocol,
  count: port.count,
});

const containerView = (container: ContainerFact): z.output<typeof containerSchema> => ({
  name: container.name,
  state: container.state,
  running: container.running,
  image: container.image,
  status: container.status,
  project: container.project,
  service: container.service,
  path: container.path,
  ports: container.ports?.map(portView) ?? null,
  cpu_percent: container.cpuPercent ?? null,
  memory_bytes: container.memoryBytes ?? null,
  restarts: container.restarts ?? null,
  update: container.update,
});
