import type { DomainError } from '../../../domain/base/errors.ts';
import type { OsFamily, PackageFacts, PendingUpdate } from '../../../domain/fleet/inventory.ts';
import type { PackageChange } from '../../../domain/fleet/package-change.ts';
import type { OsStep } from '../../../domain/jobs/job.ts';
import type { HostQuestion } from './host-question.ts';
import type { RemoteHost } from './remote-host.ts';

export interface UpdateCheck {
  readonly updates: readonly PendingUpdate[];
  /** As the inventory keeps it, of families whose packages `HostFacts` leaves to the check; `null` of others. */
  readonly packages: PackageFacts | null;
  readonly rebootPending: boolean;
  /** What to tell in the job's log besides: sources that failed, warnings. */
  readonly notes: readonly string[];
}

export interface CheckOptions {
  readonly signal: AbortSignal;
  /** Each line that the package manager prints. */
  readonly onLine: (line: string) => void;
  /** What was found last: where nothing has changed that updates are worked out by, it holds still. */
  readonly former?: PackageFacts | null;
  /** What to ask the host before, by the same command where that can be; what its `read` throws ends the check. */
  readonly first?: HostQuestion<void>;
}

/** What an upgrade would do by the package lists as they are. */
export interface PatchPlan {
  /** In the order of `sortChanges`. */
  readonly changes: readonly PackageChange[];
  readonly held: readonly PendingUpdate[];
  /** Not held, and left as they are all the same: their upgrade would remove others, or wants what is held. */
  readonly keptBack: readonly PendingUpdate[];
  readonly notes: readonly string[];
}

/** An upgrade as detached work: it must never be cut half-way. */
export interface PatchWork {
  readonly script: string;
  readonly args: readonly string[];
}

/** What an upgrade has done. */
export interface PatchOutcome {
  /** By the versions before and after, also of an upgrade that failed. */
  readonly changes: readonly PackageChange[];
  /**
   * `patch_failed`, `disk_full`, `plan_drifted` (nothing was changed), `host_command_failed` (another program held the
   * lock, or no list could be refreshed), `host_tool_missing`, `job_cancelled` (before anything was changed). `null` where all went well.
   */
  readonly failure: DomainError | null;
  /** Of one that refused with `plan_drifted`: what would be done now. */
  readonly planNow: readonly PackageChange[] | null;
  readonly notes: readonly string[];
}

/** A host's package manager. One implementation a family. */
export interface PackageManager {
  readonly family: OsFamily;
  /**
   * Refreshes the host's package lists and tells what an upgrade would change; changes nothing else. Waits for another
   * package manager's lock up to five minutes. Throws as `RemoteHost.open` and `run`, and `host_command_failed` where
   * no list can be refreshed or no upgrade worked out, `host_tool_missing` where the package manager is not there,
   * `host_timeout`, and the signal's reason.
   */
  check(host: RemoteHost, options: CheckOptions): Promise<UpdateCheck>;
  /**
   * What these steps would do by the lists as they are: refreshes nothing, changes nothing, takes no lock. Throws as
   * `check` does where no upgrade can be worked out.
   */
  plan(
    host: RemoteHost,
    options: { readonly steps: readonly OsStep[]; readonly signal: AbortSignal },
  ): Promise<PatchPlan>;
  /**
   * The work that takes these steps: never asks anything, keeps changed configuration files and held packages as they
   * are, removes nothing but by the step `autoremove` or
   * `full_upgrade` (some family managers replace packages in an upgrade by others), and waits for another package manager up to five minutes. With a
   * plan it does what the plan says, or nothing where the host would now do anything else. Where it is asked to stop
   * before it has begun to change packages, it does.
   */
  patch(options: {
    readonly steps: readonly OsStep[];
    readonly plan: readonly PackageChange[] | null;
  }): PatchWork;
  /** Reads what that work left. */
  outcome(ended: { readonly exitCode: number; readonly result: string }): PatchOutcome;
}

/** The package managers there are, by family. */
export interface PackageManagers {
  readonly families: readonly OsFamily[];
  find(family: OsFamily): PackageManager | null;
}
