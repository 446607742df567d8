import type { ContainerFact, Inventory } from '../../src/domain/fleet/inventory.ts';
import { AT } from './stores-subject.ts';

/** The inventory of an ordinary host, with docker and systemd and nothing on them. */
export const inventoryOf = (over: Partial<Inventory> = {}): Inventory => ({
  at: AT,
  hostname: 'web',
  osType: 'linux',
  osId: 'debian',
  osFamily: 'debian',
  osVersion: '13',
  osPretty: 'Debian 13',
  kernel: '6.12',
  arch: 'x86_64',
  hardware: null,
  cpuModel: null,
  cpuCores: 2,
  cpuLoad: 0.25,
  memoryTotalBytes: 8_000_000_000,
  memoryUsedBytes: 1_000_000_000,
  diskTotalBytes: 50_000_000_000,
  diskUsedBytes: 10_000_000_000,
  disks: [],
  uptimeSeconds: 60,
  bootId: null,
  packagesCount: 431,
  updates: [],
  packagesStamp: null,
  packagesNotes: [],
  packageLists: null,
  rebootPending: false,
  containerEngine: 'docker',
  containers: [],
  failedUnits: [],
  ...over,
});

/** A container that runs, unless it is said to be otherwise. */
export const containerOf = (over: Partial<ContainerFact> = {}): ContainerFact => ({
  id: null,
  name: 'db',
  state: 'running',
  running: (over.state ?? 'running') === 'running',
  image: 'mariadb:11',
  status: 'Up 3 days',
  project: null,
  service: null,
  path: null,
  update: null,
  ...over,
});
