import type { Instant } from '../base/instant.ts';
import type { Activity } from './activity.ts';
import type { PublishedPort } from './published-port.ts';

/** A package that waits for its upgrade. */
export interface PendingUpdate {
  readonly name: string;
  /** The version that is installed; `null` for one that the upgrade would bring in. */
  readonly from: string | null;
  readonly to: string;
  /** Known to fix a security problem. `false` too if the package manager does not say (zypper, apk, pacman). */
  readonly security: boolean;
  /** Its origin, in the package manager's words. */
  readonly origin: string | null;
  /** Held back by the operator of the host. */
  readonly held: boolean;
  /** When Drover first saw this version pending on the host; missing until it is stored. */
  readonly seenAt?: Instant | undefined;
}

export interface ContainerFact {
  /** The engine's id, different for each new container; `null` if it was not read. */
  readonly id: string | null;
  readonly name: string;
  /** The engine's word: `running`, `exited`, … */
  readonly state: string;
  readonly running: boolean;
  readonly image: string;
  readonly status: string;
  /** Compose project, service and directory, if it belongs to one. */
  readonly project: string | null;
  readonly service: string | null;
  readonly path: string | null;
  /** The ports of the host that lead to it; missing: an older version of Drover read it. */
  readonly ports?: readonly PublishedPort[] | undefined;
  /** Of one processor, at the moment of the inventory; missing: unknown, or it does not run. */
  readonly cpuPercent?: number | undefined;
  /** Missing: unknown, or it does not run. */
  readonly memoryBytes?: number | undefined;
  /** Automatic restarts by the engine; missing: unknown. */
  readonly restarts?: number | undefined;
  /** Whether a newer image is known; `null`: never checked. */
  readonly update: boolean | null;
  /** The newer image that a registry had for `image` at the last check; missing: none was found. */
  readonly latest?: LatestImage | undefined;
}

/** An image in a registry. */
export interface LatestImage {
  readonly digest: string;
  /** When it was built, by its own word; else when Drover first saw it. */
  readonly since: Instant;
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
  /** Vendor and product if the machine reports them, or the kind of virtualization. */
  readonly hardware: string | null;
  readonly cpuModel: string | null;
  readonly cpuCores: number;
  /** One-minute load average. */
  readonly cpuLoad: number;
  readonly memoryTotalBytes: number;
  /** Memory that could not be allocated without swapping: total less available. */
  readonly memoryUsedBytes: number;
  /** The root filesystem's. */
  readonly diskTotalBytes: number;
  readonly diskUsedBytes: number;
  /** The root first, then other local file systems, each device once. */
  readonly disks: readonly DiskFact[];
  readonly uptimeSeconds: number;
  /** Missing: an older version of Drover read it. */
  readonly activity?: Activity | undefined;
  /** Another one after each boot. */
  readonly bootId: string | null;
  readonly packagesCount: number | null;
  /** From the package manager's own lists, without a refresh; `null` if it cannot say. */
  readonly updates: readonly PendingUpdate[] | null;
  /** Hash of the host's state at the listing: while it is the same, the listing would be too. */
  readonly packagesStamp: string | null;
  /** Remarks about that listing, besides the updates. */
  readonly packagesNotes: readonly string[];
  /** `null` if the last refresh of the package lists failed in any part, or nothing is known of it. */
  readonly packageLists: PackageLists | null;
  readonly rebootPending: boolean;
  readonly containerEngine: 'docker' | 'podman' | null;
  /** `null` if there is no engine, or Drover is not allowed to use it. */
  readonly containers: readonly ContainerFact[] | null;
  /** Units of systemd that failed; `null` where systemd does not run. */
  readonly failedUnits: readonly FailedUnit[] | null;
}

/** The package facts of an inventory. */
export type PackageFacts = Pick<
  Inventory,
  'packagesCount' | 'updates' | 'packagesStamp' | 'packagesNotes' | 'packageLists'
>;

/**
 * The package lists as their last whole refresh left them. While the host gives the same stamp and none of the sources has
 * anything newer, another refresh would leave them as they are.
 */
export interface PackageLists {
  /** Hash of the settings, sources and lists on the host. */
  readonly stamp: string;
  /** After that they are refreshed again, whatever the sources say. */
  readonly until: Instant;
  readonly sources: readonly PackageSource[];
  /** Remarks about that refresh. */
  readonly notes: readonly string[];
}

export interface PackageSource {
  /** http or https, of the file that names all others of the source. Holds no password. */
  readonly uri: string;
  /** When the source changed it last, according to the source; in seconds, as in HTTP. */
  readonly changedAtSeconds: number;
}

/** A container's update check is valid as long as the container exists; what the registry has for its image, longer. */
export function keepingVerdicts(inventory: Inventory, former: Inventory | null): Inventory {
  if (inventory.containers === null) return inventory;
  const known = new Map(former?.containers?.map(({ id, update }) => [id, update]));
  const newest = new Map(
    former?.containers?.flatMap(({ image, latest }) => (latest ? [[image, latest]] : [])),
  );
  const containers = inventory.containers.map((each) => {
    const latest = each.latest ?? newest.get(each.image);
    return {
      ...each,
      ...(each.id === null || each.update !== null ? {} : { update: known.get(each.id) ?? null }),
      ...(latest === undefined ? {} : { latest }),
    };
  });
  return { ...inventory, containers };
}

/** Families of distributions, by the package manager that they use. */
export const OS_FAMILIES = ['debian', 'alpine', 'fedora', 'arch', 'suse'] as const;
export type OsFamily = (typeof OS_FAMILIES)[number];

/** The most entries that an inventory keeps of each list; longer ones are truncated. */
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
