import { DAY, HOUR, type Instant, MINUTE } from '../../domain/base/instant.ts';
import type { ContainerFact, Inventory, PendingUpdate } from '../../domain/fleet/inventory.ts';
import { mergedEnds, supportEnd } from '../../domain/fleet/os-support.ts';
import type { PublishedPort } from '../../domain/fleet/published-port.ts';
import type { ServerFacts } from '../../domain/fleet/server.ts';
import { Chance } from './chance.ts';
import { installedOn } from './demo-packages.ts';
import { isKernel, type ServerKind, type System, UPDATES } from './fleet.ts';

/** A server of the demonstration as it was found a while ago. */
export interface FoundServer {
  readonly facts: Partial<ServerFacts>;
  readonly inventory: Inventory;
}

export function foundServer(
  kind: ServerKind,
  name: string,
  chance: Chance,
  { now, nights }: { readonly now: Instant; readonly nights: readonly Instant[] },
): FoundServer {
  const at = now - chance.between(1, 50) * MINUTE;
  const downSince = chance.happens(0.04) ? now - chance.between(2, 30) * HOUR : null;
  const seenAt = downSince ?? at;
  const updates = pending(kind.system, chance);
  const containers = containersOf(kind, name, chance);
  const used = (total: number, least: number, most: number): number =>
    Math.round((total * chance.between(least, most)) / 100);
  const sizes = {
    memoryTotalBytes: kind.memoryBytes,
    memoryUsedBytes: used(kind.memoryBytes, 20, 92),
    diskTotalBytes: kind.diskBytes,
    diskUsedBytes: used(kind.diskBytes, 15, 94),
  };
  const machine = {
    osType: 'linux',
    osId: kind.system.id,
    osPretty: kind.system.pretty,
    arch: kind.arch,
    hardware: kind.hardware,
    cpuCores: kind.cores,
    cpuLoad: chance.between(2, kind.cores * 90) / 100,
    ...sizes,
  };
  const rebootPending = updates.some(({ name: each }) => isKernel(kind.system, each)) && chance.happens(0.5);
  const docker = kind.features.docker;
  // One server shows what an overdue backup looks like.
  const missed = name === 'mail-02' ? 5 : 0;
  const lastNight = nights
    .slice(0, nights.length - missed)
    .findLast((each) => downSince === null || each + HOUR < downSince);
  return {
    facts: {
      ...machine,
      osVersion: kind.system.version,
      supportEndsAt: supportEnd({ osId: kind.system.id, osVersion: kind.system.version }, mergedEnds({})),
      containerCount: docker ? containers.length : null,
      lastSeenAt: seenAt,
      osUpdatesCount: updates.length,
      securityUpdatesCount: updates.filter(({ security }) => security).length,
      containerUpdatesCount: docker ? containers.filter(({ update }) => update).length : null,
      rebootPending,
      lastOsCheckAt: seenAt - HOUR,
      lastContainerCheckAt: docker ? seenAt - HOUR : null,
      inventoryAt: seenAt,
      ...(kind.features.backup
        ? {
            lastBackupAt: lastNight ?? now - DAY,
            // Not of the last night: its snapshots are not verified yet.
            lastVerifiedAt: now - chance.between(2, 6) * DAY,
          }
        : {}),
      contactFailedSince: downSince,
      contactError: downSince === null ? null : 'host_unreachable',
    },
    inventory: {
      ...machine,
      at: seenAt,
      hostname: `${name}.example.org`,
      osFamily: kind.system.family,
      osVersion: kind.system.version,
      kernel: kind.system.kernel,
      cpuModel: null,
      disks: [
        {
          mount: '/',
          filesystem: 'ext4',
          totalBytes: sizes.diskTotalBytes,
          usedBytes: sizes.diskUsedBytes,
        },
        ...(kind.data === undefined ? [] : [{ filesystem: 'xfs', ...kind.data }]),
      ],
      uptimeSeconds: chance.between(1, 200) * 86_400,
      bootId: `demo-${chance.between(0, 1_000_000)}`,
      packagesCount: installedOn(kind.system, updates).length,
      updates,
      packagesStamp: null,
      packagesNotes: [],
      packageLists: null,
      rebootPending,
      containerEngine: docker ? 'docker' : null,
      containers: docker ? containers : null,
      failedUnits: chance.happens(0.06)
        ? [{ name: 'certbot.service', description: 'Renews certificates' }]
        : [],
    },
  };
}

function pending({ packages }: System, chance: Chance): readonly PendingUpdate[] {
  if (chance.happens(0.45)) return [];
  return UPDATES[packages]
    .filter(([, , , security]) => chance.happens(security ? 0.25 : 0.6))
    .map(([name, from, to, security]) => ({ name, from, to, security, origin: null, held: false }));
}

function containersOf(kind: ServerKind, server: string, chance: Chance): readonly ContainerFact[] {
  return Object.entries(kind.stacks).flatMap(([project, services]) =>
    Object.entries(services).map(([service, image]) => {
      const running = !chance.happens(0.02);
      return {
        id: `${server}-${project}-${service}`,
        name: `${project}-${service}-1`,
        state: running ? 'running' : 'exited',
        running,
        image,
        status: running
          ? `Up ${chance.between(2, 40)} days${CHECKED.has(service) ? ' (healthy)' : ''}`
          : 'Exited (1) 2 hours ago',
        project,
        service,
        path: `/srv/compose/${project}`,
        ports: running ? (PUBLISHED[service] ?? []) : [],
        ...(running ? usageOf(server, service) : {}),
        update: chance.happens(0.1),
      };
    }),
  );
}

const MIB = 1024 ** 2;
/** Memory in MiB, and hundredths of a percent of a processor. */
const USES: Readonly<Record<string, readonly [memory: number, cpu: number]>> = {
  caddy: [38, 60],
  app: [412, 1_240],
  cache: [24, 45],
  api: [286, 890],
  worker: [348, 2_310],
  runner: [96, 30],
};

function usageOf(server: string, service: string): Partial<ContainerFact> {
  const [memory, cpu] = USES[service] ?? [64, 50];
  // Chance of its own: the rest of the demo stays as it is.
  const chance = new Chance(Buffer.from(server).reduce((sum, each) => sum * 31 + each, memory));
  return {
    cpuPercent: Math.round((cpu * chance.between(40, 160)) / 100) / 100,
    memoryBytes: Math.round((memory * MIB * chance.between(80, 125)) / 100),
    restarts: chance.happens(0.08) ? chance.between(1, 6) : 0,
  };
}

/** Services whose images have a health check. */
const CHECKED = new Set(['app', 'api', 'cache']);

const tcp = (hostPort: number, address: string | null = null): PublishedPort => ({
  address,
  hostPort,
  containerPort: hostPort,
  protocol: 'tcp',
  count: 1,
});
const PUBLISHED: Readonly<Record<string, readonly PublishedPort[]>> = {
  caddy: [tcp(80), tcp(443), { ...tcp(443), protocol: 'udp' }],
  app: [{ ...tcp(8080, '127.0.0.1'), containerPort: 3000 }],
  api: [tcp(8080)],
};
