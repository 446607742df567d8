import type { Clock } from '../../../../application/ports/base/clock.ts';
import type { Randomness } from '../../../../application/ports/base/randomness.ts';
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
} from '../../../../application/ports/fleet/package-manager.ts';
import type { HostProcess, RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { MINUTE, SECOND } from '../../../../domain/base/instant.ts';
import type { OsFamily, PendingUpdate } from '../../../../domain/fleet/inventory.ts';
import type { PackageChange } from '../../../../domain/fleet/package-change.ts';
import { hostLines } from '../shell/host-lines.ts';
import { askHost, plainText } from '../shell/host-text.ts';
import { readSections, SECTIONS_PRELUDE, type Sections } from '../shell/marked-sections.ts';
import { limitedSignal } from '../shell/when-aborted.ts';
import { DOWNGRADE_SECTIONS, downgradeOrder, downgradePlan, targetsArgument } from './patch/downgrade.ts';
import { PATCH_FRAME, PLAN_SHELL } from './patch/frame.ts';
import { holdArgument, patchOrder, recoveryOrder } from './patch/order.ts';
import { type PatchRemedies, patchOutcome, planWith } from './patch/outcome.ts';
import { REBOOT_SIGNS, readRebootState } from './reboot.ts';
import { REFRESH } from './refresh.ts';
import {
  errorWords,
  type RefreshFault,
  refreshOutcome,
  unplanned,
  withoutPasswords,
} from './refresh-outcome.ts';

/** A family's package manager, as data: its shell functions, and how to parse its output. */
export interface Family {
  readonly family: OsFamily;
  /** Functions in POSIX sh, as `PATCH_FRAME` and `REFRESH` want them. */
  readonly shell: string;
  /** Functions in POSIX sh; `pm_listing` prints sections of installed packages and pending updates. */
  readonly listing: string;
  readonly readUpdates: (sections: Sections) => readonly PendingUpdate[] | null;
  /** It has the functions of a downgrade. */
  readonly canDowngrade?: true;
  /** Remarks besides the updates. */
  readonly readNotes?: (sections: Sections) => readonly string[];
  readonly fault: RefreshFault;
  readonly remedies: PatchRemedies;
}

export interface ShellPackageManagerOptions {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** How long another program may hold a lock. */
  readonly lockWaitMs?: number;
  /** For one refresh of all lists. */
  readonly refreshTimeoutMs?: number;
}

const LIST_LIMITS = { timeoutMs: 3 * MINUTE, maxOutputBytes: 8 * 1024 * 1024 };

/** A family's package manager, driven by scripts around its own program. */
export class ShellPackageManager implements PackageManager {
  readonly family: OsFamily;
  readonly #is: Family;
  readonly #randomness: Randomness;
  readonly #lockWaitMs: number;
  readonly #refreshTimeoutMs: number;

  constructor(is: Family, options: ShellPackageManagerOptions) {
    this.family = is.family;
    this.#is = is;
    this.#randomness = options.randomness;
    this.#lockWaitMs = options.lockWaitMs ?? 5 * MINUTE;
    this.#refreshTimeoutMs = options.refreshTimeoutMs ?? 15 * MINUTE;
  }

  async check(host: RemoteHost, options: CheckOptions): Promise<UpdateCheck> {
    if (options.first) await askHost(host, options.first, options.signal);
    const notes = await this.#refresh(host, options);
    const script = `${SECTIONS_PRELUDE}${this.#is.listing}${this.#is.shell}${REBOOT_SIGNS}
pm_there || exit 127
pm_listing
section_here reboot reboot_signs
exit 0
`;
    const sections = await this.#read(host, script, [], options.signal);
    const updates = this.#is.readUpdates(sections);
    if (updates === null) throw unplanned(this.#is.remedies, []);
    const reboot = readRebootState(sections);
    const asked =
      reboot.askedBy.length > 0 ? [`A reboot is requested by: ${reboot.askedBy.join(', ')}.`] : [];
    return {
      updates,
      packages: null,
      rebootPending: reboot.pending,
      notes: [...notes, ...(this.#is.readNotes?.(sections) ?? []), ...asked],
    };
  }

  async plan(...[host, { steps, hold, signal }]: Parameters<PackageManager['plan']>): Promise<PatchPlan> {
    const script = `${SECTIONS_PRELUDE}${this.#is.listing}${PLAN_SHELL}${this.#is.shell}
steps=$2 hold=$3
pm_there || exit 127
pm_listing
hold_for_plan
section plan 2000000 simulate
exit 0
`;
    const sections = await this.#read(host, script, [steps.join(' '), holdArgument(hold)], signal);
    const updates = this.#is.readUpdates(sections);
    const plan = sections.get('plan');
    if (updates === null || plan?.exitCode !== 0) {
      throw unplanned(this.#is.remedies, errorWords(plan?.text ?? ''));
    }
    return { ...planWith(plan.text, updates), notes: this.#is.readNotes?.(sections) ?? [] };
  }

  patch(options: PatchOptions): PatchWork {
    return patchOrder(this.#patchScript, { ...options, lockWaitMs: this.#lockWaitMs });
  }

  get canDowngrade(): boolean {
    return this.#is.canDowngrade === true;
  }

  async planDowngrade(
    host: RemoteHost,
    { targets, signal }: { targets: readonly DowngradeTarget[]; signal: AbortSignal },
  ): Promise<DowngradePlan> {
    const script = `${SECTIONS_PRELUDE}${PLAN_SHELL}${this.#is.shell}${DOWNGRADE_SECTIONS}`;
    return downgradePlan(await this.#read(host, script, [targetsArgument(targets)], signal), targets);
  }

  downgrade(options: { targets: readonly DowngradeTarget[]; plan: readonly PackageChange[] }): PatchWork {
    return downgradeOrder(this.#patchScript, { ...options, lockWaitMs: this.#lockWaitMs });
  }

  recovery(runId: string): PatchWork {
    return recoveryOrder(this.#patchScript, { runId, lockWaitMs: this.#lockWaitMs });
  }

  get #patchScript(): string {
    return `${PLAN_SHELL}${this.#is.shell}${PATCH_FRAME}`;
  }

  outcome(ended: { exitCode: number; result: string }): PatchOutcome {
    return patchOutcome(ended, this.#is.remedies);
  }

  async #read(
    host: RemoteHost,
    script: string,
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<Sections> {
    const mark = Buffer.from(this.#randomness.bytes(16)).toString('hex');
    const result = await host.run(
      { script, args: [mark, ...args], asRoot: true },
      { ...LIST_LIMITS, signal },
    );
    return readSections(result.stdout.toString('utf8'), mark);
  }

  /** Returns partial failures; throws if nothing succeeded. */
  async #refresh(host: RemoteHost, { signal, onLine }: CheckOptions): Promise<readonly string[]> {
    signal.throwIfAborted();
    const ending = limitedSignal(signal, this.#refreshTimeoutMs, () => this.#tooLong());
    let refreshing: HostProcess | null = null;
    try {
      const script = `${this.#is.shell}${REFRESH}`;
      const args = [String(Math.ceil(this.#lockWaitMs / SECOND))];
      refreshing = await host.open({ script, args, asRoot: true }, { signal: ending.signal });
      refreshing.stdin.end();
      refreshing.stderr.resume();
      const lines: string[] = [];
      for await (const line of hostLines(refreshing.stdout)) {
        const plain = plainText(withoutPasswords(line), 500);
        if (plain === null) continue;
        if (lines.length < MAX_KEPT) lines.push(plain);
        onLine(plain);
      }
      const { exitCode } = await refreshing.exit;
      ending.signal.throwIfAborted();
      return refreshOutcome(this.#is, exitCode, lines);
    } catch (error) {
      refreshing?.kill();
      // a stream that breaks while the command is being ended is irrelevant to the caller
      ending.signal.throwIfAborted();
      throw error;
    } finally {
      ending.release();
    }
  }

  #tooLong(): DomainError {
    return new DomainError(
      'host_timeout',
      `${this.#is.remedies.tool} did not refresh its lists within ${this.#refreshTimeoutMs / MINUTE} min on the host; it was ended. Check its package sources and network.`,
    );
  }
}

const MAX_KEPT = 2_000;
