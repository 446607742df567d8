import { DAY, HOUR } from '../src/domain/base/instant.ts';
import type { ContainerFact, DiskFact, Inventory, PendingUpdate } from '../src/domain/fleet/inventory.ts';
import type { FeatureFlags, ServerFacts } from '../src/domain/fleet/server.ts';

const GIB = 1024 ** 3;

/** A server of the evaluations: what it is, and what is special about it. */
export interface EvalHost {
  readonly name: string;
  readonly tags: readonly string[];
  readonly system: 'debian' | 'alma' | 'alpine';
  readonly features: FeatureFlags;
  readonly updates: readonly PendingUpdate[];
  readonly reboot: boolean;
  readonly disks: readonly DiskFact[];
  readonly containers: readonly ContainerFact[];
  readonly failedUnits: Inventory['failedUnits'];
  readonly sources: readonly string[];
  /** Before now, in milliseconds; `null`: never. */
  readonly backedUpAgo: number | null;
  /** Since then it does not answer. */
  readonly downFor: number | null;
}

const ALL: FeatureFlags = { backup: true, os_patch: true, docker: true };
const PLAIN: FeatureFlags = { backup: true, os_patch: true, docker: false };
const NO_BACKUP: FeatureFlags = { backup: false, os_patch: true, docker: false };

const host = (name: string, tags: readonly string[], over: Partial<EvalHost> = {}): EvalHost => ({
  name,
  tags,
  system: 'debian',
  features: PLAIN,
  updates: [],
  reboot: false,
  disks: [disk('/', 40, 12)],
  containers: [],
  failedUnits: [],
  sources: over.features?.backup === false ? [] : ['etc'],
  backedUpAgo: over.features?.backup === false ? null : 5 * HOUR,
  downFor: null,
  ...over,
});

function disk(mount: string, totalGib: number, usedGib: number): DiskFact {
  return { mount, filesystem: 'ext4', totalBytes: totalGib * GIB, usedBytes: usedGib * GIB };
}

const update = (name: string, from: string, to: string, security = false): PendingUpdate => ({
  name,
  from,
  to,
  security,
  origin: null,
  held: false,
});
const OPENSSL = update('openssl', '3.0.14-1', '3.0.15-1', true);
const CURL = update('curl', '7.88.1-10', '7.88.1-12');
const VIM = update('vim-common', '9.0.1378', '9.0.1499');

const container = (project: string, service: string, over: Partial<ContainerFact> = {}): ContainerFact => ({
  id: `${project}-${service}`,
  name: `${project}-${service}-1`,
  state: 'running',
  running: (over.state ?? 'running') === 'running',
  image: `registry.example.org/${service}:4.2`,
  status: 'Up 12 days (healthy)',
  project,
  service,
  path: `/srv/compose/${project}`,
  update: false,
  ...over,
});

const WEB = ['web', 'production'];
const DATABASE = ['database', 'production'];
const shop = (over: Partial<ContainerFact> = {}) => [
  container('shop', 'app', over),
  container('shop', 'cache'),
];

export const HOSTS: readonly EvalHost[] = [
  host('web-1', WEB, {
    features: ALL,
    updates: [OPENSSL, CURL],
    containers: shop(),
    sources: ['etc', 'www'],
  }),
  host('web-2', WEB, { features: ALL, updates: [OPENSSL], reboot: true, containers: shop() }),
  host('web-3', WEB, {
    features: ALL,
    sources: ['etc', 'www'],
    containers: shop({ state: 'restarting', running: false, status: 'Restarting (1) 8 seconds ago' }),
  }),
  host('web-4', WEB, { features: ALL, updates: [VIM], containers: shop() }),
  host('web-5', WEB, {
    features: ALL,
    containers: [...shop(), container('proxy', 'caddy', { update: true })],
  }),
  host('web-6', WEB, { features: ALL, containers: shop() }),
  host('db-1', DATABASE, { system: 'alma', backedUpAgo: 8 * DAY, disks: [disk('/', 100, 92)] }),
  host('db-2', DATABASE, {
    system: 'alma',
    features: { backup: true, os_patch: true, docker: false },
    updates: [CURL, VIM, update('tzdata', '2024a', '2024b')],
  }),
  host('db-3', DATABASE, { system: 'alma' }),
  host('app-1', ['app'], {
    features: ALL,
    updates: [OPENSSL, update('linux-image-amd64', '6.1.0-26', '6.1.0-28', true)],
    reboot: true,
    containers: [container('api', 'api'), container('api', 'worker')],
  }),
  host('app-2', ['app'], { features: ALL, updates: [update('nginx', '1.22.1-9', '1.22.1-10')] }),
  host('app-3', ['app'], {
    features: ALL,
    containers: [container('api', 'api'), container('api', 'worker', { status: 'Up 3 hours (unhealthy)' })],
  }),
  host('app-4', ['app'], { features: ALL, containers: [container('api', 'api', { update: true })] }),
  host('nas', ['storage'], {
    disks: [disk('/', 50, 10), disk('/srv', 8_000, 7_440)],
    backedUpAgo: null,
    sources: ['shares'],
  }),
  host('mail', ['mail', 'production'], {
    reboot: true,
    failedUnits: [{ name: 'postfix.service', description: 'Postfix Mail Transport Agent' }],
  }),
  host('gate-1', ['network'], { system: 'alpine' }),
  host('gate-2', ['network'], { system: 'alpine', downFor: 3 * HOUR }),
  host('pi-1', ['branch'], { features: NO_BACKUP, downFor: 2 * DAY }),
  host('pi-2', ['branch'], { features: NO_BACKUP }),
  host('pi-3', ['branch'], { features: NO_BACKUP }),
  host('build-1', ['ci'], { features: NO_BACKUP }),
  host('build-2', ['ci'], { features: NO_BACKUP }),
  host('stage-1', ['staging'], { features: NO_BACKUP }),
];

/** The server with files: the service's own machine, with a file root in a temporary directory. */
export const BOX = host('box', ['files'], { features: { backup: false, os_patch: false, docker: false } });

const SYSTEMS = {
  debian: ['debian', '12', 'Debian GNU/Linux 12 (bookworm)', '6.1.0-28-amd64'],
  alma: ['almalinux', '9.5', 'AlmaLinux 9.5 (Teal Serval)', '5.14.0-503.15.1.el9_5.x86_64'],
  alpine: ['alpine', '3.20.3', 'Alpine Linux v3.20', '6.6.58-0-lts'],
} as const;

export function inventoryOf({ name, system, ...found }: EvalHost, now: number): Inventory {
  const [osId, osVersion, osPretty, kernel] = SYSTEMS[system];
  const root = found.disks[0] ?? disk('/', 40, 12);
  return {
    at: now - HOUR / 2,
    hostname: `${name}.example.org`,
    osType: 'linux',
    osId,
    osFamily: system === 'alma' ? 'fedora' : system,
    osVersion,
    osPretty,
    kernel,
    arch: 'x86_64',
    hardware: 'QEMU Standard PC',
    cpuModel: null,
    cpuCores: 4,
    cpuLoad: 0.4,
    memoryTotalBytes: 8 * GIB,
    memoryUsedBytes: 3 * GIB,
    diskTotalBytes: root.totalBytes,
    diskUsedBytes: root.usedBytes,
    disks: found.disks,
    uptimeSeconds: 900_000,
    bootId: null,
    packagesCount: 431,
    updates: found.updates,
    packagesStamp: null,
    packagesNotes: [],
    packageLists: null,
    rebootPending: found.reboot,
    containerEngine: found.features.docker ? 'docker' : null,
    containers: found.features.docker ? found.containers : null,
    failedUnits: found.failedUnits,
  };
}

export function factsOf(
  { updates, ...found }: EvalHost,
  inventory: Inventory,
  now: number,
): Partial<ServerFacts> {
  const { osType, osId, osPretty, arch, hardware, cpuCores, cpuLoad, at } = inventory;
  const { memoryTotalBytes, memoryUsedBytes, diskTotalBytes, diskUsedBytes, containers } = inventory;
  return {
    osType,
    osId,
    osPretty,
    arch,
    hardware,
    cpuCores,
    cpuLoad,
    memoryTotalBytes,
    memoryUsedBytes,
    diskTotalBytes,
    diskUsedBytes,
    containerCount: containers?.length ?? null,
    lastSeenAt: found.downFor === null ? at : now - found.downFor,
    osUpdatesCount: updates.length,
    securityUpdatesCount: updates.filter(({ security }) => security).length,
    containerUpdatesCount: containers?.filter((each) => each.update).length ?? null,
    rebootPending: found.reboot,
    lastOsCheckAt: at,
    lastContainerCheckAt: containers === null ? null : at,
    inventoryAt: at,
    lastBackupAt: found.backedUpAgo === null ? null : now - found.backedUpAgo,
    contactFailedSince: found.downFor === null ? null : now - found.downFor,
    contactError: found.downFor === null ? null : 'host_unreachable',
  };
}
