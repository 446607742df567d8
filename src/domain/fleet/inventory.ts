import type { Instant } from '../base/instant.ts';

/** A package that waits for its upgrade. */
export interface PendingUpdate {
  readonly name: string;
  /** The version that is installed; `null` for one that the upgrade would bring in. */
  readonly from: string | null;
  readonly to: string;
  /** Known to mend a security fault. `false` too where the package manager does not tell (zypper, apk, pacman). */
  readonly security: boolean;
  /** Where it would come from, in the package manager's words. */
  readonly origin: string | null;
  /** Held back by the operator of the host. */
  readonly held: boolean;
}

export interface ContainerFact {
  /** The engine's id, another one for each container that is made; `null` where it was not read. */
  readonly id: string | null;
  readonly name: string;
  /** The engine's word: `running`, `exited`, … */
  readonly state: string;
  readonly running: boolean;
  readonly image: string;
  readonly status: string;
  /** Compose project, service and directory, where it belongs to one. */
  readonly project: string | null;
  readonly service: string | null;
  readonly path: string | null;
  /** Whether a newer image is known; `null`: never checked. */
  readonly update: boolean | null;
}

export interface FailedUnit {
  readonly name: string;
  readonly description: string;
}

export interface DiskFact {
  readonly mount: string;
  /** Type, such as `ext4`. */
  readonly filesystem: string;
  readonly totalBytes: number;
  readonly usedBytes: number;
}

/** One host as it was found at a moment. Sizes are bytes. */
export interface Inventory {
  readonly at: Instant;
  readonly hostname: string;
  /** Always `linux` for now. */
  readonly osType: string;
  /** `ID` of os-release: debian, ubuntu, alpine, fedora, … */
  readonly osId: string | null;
  /** By os-release, or else by the package manager that is there. */
  readonly osFamily: OsFamily | null;
  readonly osVersion: string | null;
  readonly osPretty: string | null;
  readonly kernel: string;
  readonly arch: string;
  /** Vendor and product where the machine tells, or the kind of virtualisation. */
  readonly hardware: string | null;
  readonly cpuModel: string | null;
  readonly cpuCores: number;
  /** One-minute load average. */
  readonly cpuLoad: number;
  readonly memoryTotalBytes: number;
  /** What could not be handed out without swapping: total less available. */
  readonly memoryUsedBytes: number;
  /** The root filesystem's. */
  readonly diskTotalBytes: number;
  readonly diskUsedBytes: number;
  /** The root first, then other local file systems, each device once. */
  readonly disks: readonly DiskFact[];
  readonly uptimeSeconds: number;
  /** Another one after each boot. */
  readonly bootId: string | null;
  readonly packagesCount: number | null;
  /** What the package manager's own lists say, without refreshing them; `null` where it cannot tell. */
  readonly updates: readonly PendingUpdate[] | null;
  /** Of the state of the host that packages were listed in: while it gives the same, they would be listed the same. */
  readonly packagesStamp: string | null;
  /** What besides the updates was worth telling of that listing. */
  readonly packagesNotes: readonly string[];
  /** `null` where the last refresh of the package lists did not go well in every part, or nothing is known of it. */
  readonly packageLists: PackageLists | null;
  readonly rebootPending: boolean;
  readonly containerEngine: 'docker' | 'podman' | null;
  /** `null` where there is no engine, or it may not be asked. */
  readonly containers: readonly ContainerFact[] | null;
  /** Units of systemd that failed; `null` where systemd does not run. */
  readonly failedUnits: readonly FailedUnit[] | null;
}

/** The part of an inventory that tells of packages. */
export type PackageFacts = Pick<
  Inventory,
  'packagesCount' | 'updates' | 'packagesStamp' | 'packagesNotes' | 'packageLists'
>;

/**
 * The package lists as their last whole refresh left them. While the host gives the same stamp and none of the sources has
 * anything newer, another refresh would leave them as they are.
 */
export interface PackageLists {
  /** Of the settings, sources and lists on the host. */
  readonly stamp: string;
  /** From then on they are refreshed again, whatever the sources say. */
  readonly until: Instant;
  readonly sources: readonly PackageSource[];
  /** What that refresh had to tell. */
  readonly notes: readonly string[];
}

export interface PackageSource {
  /** http or https, of the file that names all others of the source. Holds no password. */
  readonly uri: string;
  /** When the source changed it last, by itself; in seconds, as HTTP tells it. */
  readonly changedAtSeconds: number;
}

/** What a check found out about a container holds for as long as the container is there. */
export function keepingVerdicts(inventory: Inventory, former: Inventory | null): Inventory {
  if (inventory.containers === null) return inventory;
  const known = new Map(former?.containers?.map(({ id, update }) => [id, update]));
  const containers = inventory.containers.map((each) =>
    each.id === null || each.update !== null ? each : { ...each, update: known.get(each.id) ?? null },
  );
  return { ...inventory, containers };
}

/** Families of distributions, by the package manager that they use. */
export const OS_FAMILIES = ['debian', 'alpine', 'fedora', 'arch', 'suse'] as const;
export type OsFamily = (typeof OS_FAMILIES)[number];

/** Most that an inventory keeps of each list; a host that has more, or says so, is cut short. */
export const MAX_UPDATES = 5_000;
export const MAX_CONTAINERS = 1_000;
export const MAX_DISKS = 100;
export const MAX_FAILED_UNITS = 200;

/** Words of `ID` and `ID_LIKE`. */
const FAMILY_WORDS: Readonly<Record<OsFamily, readonly string[]>> = {
  debian: ['debian', 'ubuntu', 'raspbian'],
  alpine: ['alpine'],
  fedora: ['fedora', 'rhel', 'centos', 'almalinux', 'rocky', 'amzn', 'ol'],
  arch: ['arch', 'archlinux', 'archarm'],
  suse: ['suse', 'opensuse', 'opensuse-leap', 'opensuse-tumbleweed', 'sles', 'sled'],
};

/** The family by `ID` of os-release, or else by the first known word of `ID_LIKE` (closest relatives come first). */
export function osFamilyOf(id: string | null, idLike: string | null): OsFamily | null {
  for (const word of [id ?? '', ...(idLike ?? '').split(/\s+/)]) {
    const family = OS_FAMILIES.find((each) => FAMILY_WORDS[each].includes(word.toLowerCase()));
    if (family) return family;
  }
  return null;
}
