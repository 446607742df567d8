import type { Instant } from './instant.ts';

/** A package that waits for its upgrade. */
export interface PendingUpdate {
  readonly name: string;
  /** The version that is installed; `null` for one that the upgrade would bring in. */
  readonly from: string | null;
  readonly to: string;
  readonly security: boolean;
  /** Where it would come from, in the package manager's words. */
  readonly origin: string | null;
  /** Held back by the operator of the host. */
  readonly held: boolean;
}

export interface ContainerFact {
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
  /** The family whose package manager it uses. */
  readonly osFamily: OsFamily | null;
  readonly osVersion: string | null;
  readonly osPretty: string | null;
  readonly kernel: string;
  readonly arch: string;
  /** Vendor and product where the machine tells, or the kind of virtualisation. */
  readonly hardware: string | null;
  readonly cpuModel: string | null;
  readonly cpuCores: number;
  readonly cpuLoad: number;
  readonly memoryTotalBytes: number;
  readonly memoryUsedBytes: number;
  /** The root filesystem's. */
  readonly diskTotalBytes: number;
  readonly diskUsedBytes: number;
  readonly disks: readonly DiskFact[];
  readonly uptimeSeconds: number;
  readonly bootId: string | null;
  readonly packagesCount: number | null;
  /** What the package manager's own lists say, without refreshing them; `null` where it cannot tell. */
  readonly updates: readonly PendingUpdate[] | null;
  readonly rebootPending: boolean;
  readonly containerEngine: 'docker' | 'podman' | null;
  /** `null` where there is no engine, or it may not be asked. */
  readonly containers: readonly ContainerFact[] | null;
  readonly failedUnits: readonly FailedUnit[] | null;
}

export const OS_FAMILIES = ['debian', 'alpine', 'fedora', 'arch', 'suse'] as const;
export type OsFamily = (typeof OS_FAMILIES)[number];
