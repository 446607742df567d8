import type { DomainError } from '../../../domain/base/errors.ts';
import type { PlainCheck } from '../../../domain/compose/update-check.ts';
import type { HostHealth } from '../../../domain/fleet/host-health.ts';
import type { OsFamily, PackageFacts, PendingUpdate } from '../../../domain/fleet/inventory.ts';
import type { PackageChange } from '../../../domain/fleet/package-change.ts';
import type { OsStep } from '../../../domain/jobs/job.ts';
import type { StepReader } from '../../../domain/jobs/phases.ts';
import type { HostQuestion } from './host-question.ts';
import type { RemoteHost } from './remote-host.ts';

/** Names that `hold` may have: they have to fit into one argument of a command. */
export const MAX_HOLD = 1_500;

export interface UpdateCheck {
  readonly updates: readonly PendingUpdate[];
  /** As the inventory keeps it, of families whose packages `HostFacts` leaves to the check; `null` of others. */
  readonly packages: PackageFacts | null;
  readonly rebootPending: boolean;
  /** Remarks for the job's log: failed sources, warnings. */
  readonly notes: readonly string[];
}

export interface CheckOptions {
  readonly signal: AbortSignal;
  /** Each line that the package manager prints. */
  readonly onLine: (line: string) => void;
  /** The previous result: reused if nothing has changed that affects updates. */
  readonly former?: PackageFacts | null;
  /** A question to ask the host first, in the same command if possible; an error of its `read` ends the check. */
  readonly first?: HostQuestion<void>;
}

/** What an upgrade would do with the current package lists. */
export interface PatchPlan {
  /** In the order of `sortChanges`. */
  readonly changes: readonly PackageChange[];
  readonly held: readonly PendingUpdate[];
  /** Not held, but not upgraded either: their upgrade would remove others, or requires a held package. */
  readonly keptBack: readonly PendingUpdate[];
  readonly notes: readonly string[];
}

/** An upgrade as detached work: it must never be cut half-way. */
export interface PatchWork {
  readonly script: string;
  readonly args: readonly string[];
  /** For the lines that it prints. */
  readonly steps?: StepReader;
}

/** What a guarded upgrade does around its work. */
export interface PatchGuardOrder {
  /** Paths to copy before; those that are missing are left out. */
  readonly places: readonly string[];
  /** Paths in them that the copy leaves out. */
  readonly without: readonly string[];
  readonly checks: readonly PlainCheck[];
  /** How long to wait after the upgrade before the host is compared. */
  readonly observeSeconds: number;
}

/** What a guarded upgrade found. */
export interface GuardReport {
  /** The directory of the copy on the host, and its size. */
  readonly saved: { readonly path: string; readonly bytes: number };
  readonly before: HostHealth;
  readonly after: HostHealth;
}

/** The result of an upgrade. */
export interface PatchOutcome {
  /** By the versions before and after, also of an upgrade that failed. */
  readonly changes: readonly PackageChange[];
  /**
   * `patch_failed`, `disk_full`, `plan_drifted` (nothing was changed), `host_command_failed` (another program held
   * the lock, or no list could be refreshed), `host_tool_missing`, `job_cancelled` (before any change). `null` on
   * success.
   */
  readonly failure: DomainError | null;
  /** After `plan_drifted`: the current changes. */
  readonly planNow: readonly PackageChange[] | null;
  readonly notes: readonly string[];
  /** `null` if it was not guarded, or changed nothing. */
  readonly guard: GuardReport | null;
}

export interface PatchOptions {
  readonly steps: readonly OsStep[];
  readonly plan: readonly PackageChange[] | null;
  readonly hold?: readonly string[];
  readonly guard?: PatchGuardOrder | undefined;
}

/** A package, and the earlier version that it should have again. */
export interface DowngradeTarget {
  readonly name: string;
  readonly version: string;
}

/** Why a target stays: it is not installed, has the version already, is held, or the version is no longer available. */
export const WHY_LEFT = ['absent', 'already', 'held', 'gone'] as const;
export type WhyLeft = (typeof WHY_LEFT)[number];

/** What a downgrade would do now. */
export interface DowngradePlan {
  /** In the order of `sortChanges`; with packages that have to be removed or installed for it. */
  readonly changes: readonly PackageChange[];
  readonly left: readonly (DowngradeTarget & { readonly why: WhyLeft })[];
}

/** A host's package manager. One implementation a family. */
export interface PackageManager {
  readonly family: OsFamily;
  /**
   * Refreshes the host's package lists and reports what an upgrade would change; changes nothing else. Waits for
   * another package manager's lock up to five minutes. Throws as `RemoteHost.open` and `run`, and
   * `host_command_failed` if no list can be refreshed or the upgrade cannot be computed, `host_tool_missing` if the
   * package manager is missing, `host_timeout`, and the signal's reason.
   */
  check(host: RemoteHost, options: CheckOptions): Promise<UpdateCheck>;
  /**
   * What these steps would do with the current lists: refreshes nothing, changes nothing, takes no lock. Throws as
   * `check` does if the upgrade cannot be computed. `hold`: packages that stay as they are, and what needs newer ones
   * of them, by the package manager's own means; nothing of it remains on the host. At most `MAX_HOLD`.
   */
  plan(
    host: RemoteHost,
    options: {
      readonly steps: readonly OsStep[];
      readonly hold?: readonly string[];
      readonly signal: AbortSignal;
    },
  ): Promise<PatchPlan>;
  /**
   * The work that runs these steps: never prompts, keeps changed configuration files and held packages as they are,
   * removes nothing except in the steps `autoremove` and `full_upgrade` (some package managers replace packages in an
   * upgrade by others), and waits for another package manager up to five minutes. With a plan it applies exactly the
   * plan, or nothing if the host would now do anything else. A stop request takes effect before it has started to
   * change packages. `hold` as in `plan`. With `guard` it copies the places first, or changes nothing, and compares
   * the host before and after.
   */
  patch(options: PatchOptions): PatchWork;
  /**
   * For a guarded upgrade whose work died or was interrupted by a reboot: waits for its package manager, then completes
   * what it left, and reports as `patch` does. Exit codes that `outcome` takes for a failure: nothing is known.
   */
  recovery(runId: string): PatchWork;
  /** Whether it can go back to earlier versions; the next two are for those that can. */
  readonly canDowngrade: boolean;
  /**
   * How the targets would get these versions again, with the current lists and kept downloads. Changes nothing. Throws
   * `host_command_failed` if that is impossible, or would change held or essential packages.
   */
  planDowngrade(
    host: RemoteHost,
    options: { readonly targets: readonly DowngradeTarget[]; readonly signal: AbortSignal },
  ): Promise<DowngradePlan>;
  /** The work that applies exactly such a plan, or nothing; `outcome` reads its result. */
  downgrade(options: {
    readonly targets: readonly DowngradeTarget[];
    readonly plan: readonly PackageChange[];
  }): PatchWork;
  /** Reads that work's result. */
  outcome(ended: { readonly exitCode: number; readonly result: string }): PatchOutcome;
}

/** The package managers there are, by family. */
export interface PackageManagers {
  readonly families: readonly OsFamily[];
  find(family: OsFamily): PackageManager | null;
}
