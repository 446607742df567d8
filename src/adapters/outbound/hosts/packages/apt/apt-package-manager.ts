import type { Clock } from '../../../../../application/ports/base/clock.ts';
import type { Randomness } from '../../../../../application/ports/base/randomness.ts';
import type { HostQuestion } from '../../../../../application/ports/fleet/host-question.ts';
import type {
  CheckOptions,
  DowngradePlan,
  DowngradeTarget,
  PackageManager,
  PatchOptions,
  PatchOutcome,
  PatchPlan,
  PatchWork,
  UpdateCheck,
} from '../../../../../application/ports/fleet/package-manager.ts';
import type { HostProcess, RemoteHost } from '../../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import { MINUTE, SECOND } from '../../../../../domain/base/instant.ts';
import type { PackageFacts, PackageLists } from '../../../../../domain/fleet/inventory.ts';
import type { PackageChange } from '../../../../../domain/fleet/package-change.ts';
import { readSections } from '../../shell/marked-sections.ts';
import { limitedSignal } from '../../shell/when-aborted.ts';
import { downgradeOrder, downgradePlan, targetsArgument } from '../patch/downgrade.ts';
import { holdArgument, patchOrder, recoveryOrder } from '../patch/order.ts';
import { type PatchRemedies, patchOutcome } from '../patch/outcome.ts';
import { readRebootState } from '../reboot.ts';
import { withoutPasswords } from '../refresh-outcome.ts';
import { AskedSources, questionsOf } from './apt-ask.ts';
import { type CheckStep, checkScript, LIST, LIST_LIMITS, readCheck } from './apt-check.ts';
import { aptPlanErrors, readAptPackages } from './apt-listing.ts';
import { readAptLists } from './apt-lists.ts';
import { APT_DOWNGRADE_PLAN, APT_PATCH, aptPatchPlan, PLAN } from './apt-patch.ts';
import { AptRefreshLog } from './apt-refresh-log.ts';
import { lockRefusal, planRefusal, refreshRefusal } from './apt-refusals.ts';

export interface AptOptions {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** How long another program may hold apt's lock. */
  readonly lockWaitMs?: number;
  readonly lockRetryMs?: number;
  /** For one run of `apt-get update`: with many dead sources 30 s and three tries each add up. */
  readonly refreshTimeoutMs?: number;
}

export const APT_REMEDIES: PatchRemedies = {
  tool: 'apt-get',
  lock: 'fuser -v /var/lib/dpkg/lock-frontend',
  space: 'free some space (apt-get clean, old kernels) and start again.',
  broken:
    'Read the log of the job, fix the package on the host, then run "dpkg --configure -a" there; "dpkg --audit" shows what is left.',
  failed: 'Read the log of the job, and run "apt-get -f install" on the host.',
};

/** The package manager of Debian, Ubuntu and their relatives. */
export class AptPackageManager implements PackageManager {
  readonly family = 'debian';
  readonly canDowngrade = true;
  readonly #clock: Clock;
  readonly #randomness: Randomness;
  readonly #lockWaitMs: number;
  readonly #lockRetryMs: number;
  readonly #refreshTimeoutMs: number;

  constructor(options: AptOptions) {
    this.#clock = options.clock;
    this.#randomness = options.randomness;
    this.#lockWaitMs = options.lockWaitMs ?? 5 * MINUTE;
    this.#lockRetryMs = options.lockRetryMs ?? 2 * SECOND;
    this.#refreshTimeoutMs = options.refreshTimeoutMs ?? 15 * MINUTE;
  }

  async check(host: RemoteHost, options: CheckOptions): Promise<UpdateCheck> {
    const { signal, former = null } = options;
    const { lists, log, mark, listing } = await this.#refreshed(host, options);
    const sections = readSections(listing ?? (await this.#list(host, mark, former, signal)), mark);
    const found = readAptPackages(sections, former);
    const { updates, packagesNotes } = found;
    if (updates === null) throw planRefusal(aptPlanErrors(sections).map(withoutPasswords));
    const reboot = readRebootState(sections);
    const asked =
      reboot.askedBy.length > 0 ? [`A reboot is requested by: ${reboot.askedBy.join(', ')}.`] : [];
    const refreshNotes = lists?.notes ?? notesOf(log);
    const isWhole = log.failed.size === 0 && log.errors.length === 0;
    const now = this.#clock.now();
    const packageLists = lists ?? (isWhole ? readAptLists(sections, { now, notes: refreshNotes }) : null);
    return {
      updates,
      packages: { ...found, packageLists },
      rebootPending: reboot.pending,
      notes: [...refreshNotes, ...packagesNotes, ...asked],
    };
  }

  async plan(...[host, { steps, hold, signal }]: Parameters<PackageManager['plan']>): Promise<PatchPlan> {
    const mark = this.#newMark();
    const command = { script: PLAN, args: [mark, steps.join(' '), holdArgument(hold)], asRoot: true };
    const result = await host.run(command, { ...LIST_LIMITS, signal });
    return aptPatchPlan(readSections(result.stdout.toString('utf8'), mark));
  }

  patch(options: PatchOptions): PatchWork {
    return patchOrder(APT_PATCH, { ...options, lockWaitMs: this.#lockWaitMs });
  }

  async planDowngrade(
    host: RemoteHost,
    { targets, signal }: { targets: readonly DowngradeTarget[]; signal: AbortSignal },
  ): Promise<DowngradePlan> {
    const mark = this.#newMark();
    const command = { script: APT_DOWNGRADE_PLAN, args: [mark, targetsArgument(targets)], asRoot: true };
    const result = await host.run(command, { ...LIST_LIMITS, signal });
    return downgradePlan(readSections(result.stdout.toString('utf8'), mark), targets);
  }

  downgrade(options: { targets: readonly DowngradeTarget[]; plan: readonly PackageChange[] }): PatchWork {
    return downgradeOrder(APT_PATCH, { ...options, lockWaitMs: this.#lockWaitMs });
  }

  recovery(runId: string): PatchWork {
    return recoveryOrder(APT_PATCH, { runId, lockWaitMs: this.#lockWaitMs });
  }

  outcome(ended: { exitCode: number; result: string }): PatchOutcome {
    return patchOutcome(ended, APT_REMEDIES);
  }

  /** Waits for others' locks. Throws if nothing succeeded. */
  async #refreshed(host: RemoteHost, options: CheckOptions): Promise<RefreshResult> {
    const start = this.#clock.now();
    const known = options.former?.packageLists ?? null;
    let before: RefreshStart = {
      first: options.first ?? null,
      lists: known && known.until > start ? known : null,
    };
    let waitingFor: string | null = null;
    for (;;) {
      const refreshed = await this.#tryRefresh(host, options, before);
      before = { first: null, lists: null };
      const { lists, log, exitCode } = refreshed;
      if (lists) return refreshed;
      if (log.lockedBy === null) {
        const refusal = refreshRefusal(log, exitCode);
        if (refusal) throw refusal;
        return refreshed;
      }
      const waited = this.#clock.now() - start;
      if (waited >= this.#lockWaitMs) throw lockRefusal(log.lockedBy, waited);
      if (waitingFor !== log.lockedBy) options.onLine(`Waiting for ${log.lockedBy}, which holds apt's lock.`);
      waitingFor = log.lockedBy;
      await this.#clock.sleep(this.#lockRetryMs, options.signal);
      options.signal.throwIfAborted();
    }
  }

  async #tryRefresh(
    host: RemoteHost,
    { signal, onLine, former }: CheckOptions,
    { first, lists }: RefreshStart,
  ): Promise<RefreshResult> {
    signal.throwIfAborted();
    const mark = this.#newMark();
    const log = new AptRefreshLog();
    let apt: HostProcess | null = null;
    const limits: Readonly<Record<CheckStep, StepLimit>> = {
      first: first ? [first.timeoutMs, commandTooLong] : [this.#refreshTimeoutMs, refreshTooLong],
      ask: [this.#refreshTimeoutMs, refreshTooLong],
      refresh: [this.#refreshTimeoutMs, refreshTooLong],
      list: [LIST_LIMITS.timeoutMs, commandTooLong],
    };
    const ending = limitedSignal(signal, ...limits.first);
    try {
      const args = [mark, former?.packagesStamp ?? '', ...questionsOf(lists), ...(first?.args ?? [])];
      const script = checkScript(first?.script ?? ':');
      apt = await host.open({ script, args, asRoot: true }, { signal: ending.signal });
      const { stdin } = apt;
      const asked = new AskedSources(lists, (word) => stdin.write(`${word}\n`));
      if (!lists) stdin.end();
      apt.stderr.resume();
      const seen = await readCheck(apt.stdout, mark, {
        first,
        asked,
        log,
        onLine,
        begins: (step) => ending.within(...limits[step]),
      });
      const ended = await apt.exit;
      ending.signal.throwIfAborted();
      if (seen.exitCode === 'same' && lists) {
        for (const uri of asked.same) onLine(`Nothing newer: ${uri}`);
        return { lists, log, mark, exitCode: 0, listing: seen.listing };
      }
      const exitCode =
        typeof seen.exitCode === 'number' || seen.exitCode === null ? seen.exitCode : ended.exitCode;
      return { lists: null, log, mark, exitCode, listing: exitCode === 0 ? seen.listing : null };
    } catch (error) {
      apt?.kill();
      // a stream that breaks while the command is being ended is irrelevant to the caller
      ending.signal.throwIfAborted();
      throw error;
    } finally {
      ending.release();
    }
  }

  async #list(
    host: RemoteHost,
    mark: string,
    former: PackageFacts | null,
    signal: AbortSignal,
  ): Promise<string> {
    const command = { script: LIST, args: [mark, former?.packagesStamp ?? ''], asRoot: true };
    return (await host.run(command, { ...LIST_LIMITS, signal })).stdout.toString('utf8');
  }

  #newMark(): string {
    return Buffer.from(this.#randomness.bytes(16)).toString('hex');
  }
}

/** What precedes a refresh, once. */
interface RefreshStart {
  readonly first: HostQuestion<void> | null;
  /** The previous result, if it is still valid. */
  readonly lists: PackageLists | null;
}

interface RefreshResult {
  /** The previous refresh's result, and no source has anything newer; `null`: apt has refreshed its lists. */
  readonly lists: PackageLists | null;
  readonly log: AptRefreshLog;
  readonly mark: string;
  readonly exitCode: number | null;
  /** `null` if the refresh failed, and nothing was listed. */
  readonly listing: string | null;
}

const notesOf = (log: AptRefreshLog): string[] => [
  ...Array.from(log.failed, ([source, reason]) => `A package source failed: ${source}: ${reason}.`),
  ...(log.failed.size === 0 && !log.anyRefreshed ? ['apt has no package sources on this host.'] : []),
  ...log.errors,
  ...log.warnings,
];

type StepLimit = readonly [ms: number, tooLong: (ms: number) => DomainError];

const refreshTooLong = (limitMs: number): DomainError =>
  new DomainError(
    'host_timeout',
    `apt-get update did not end within ${limitMs / MINUTE} min on the host; it was ended. Check its package sources and network.`,
  );

const commandTooLong = (limitMs: number): DomainError =>
  new DomainError(
    'host_timeout',
    `A command on the host did not end within ${limitMs / SECOND} s; it was ended.`,
  );
