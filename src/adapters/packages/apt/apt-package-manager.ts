import type { Clock } from '../../../application/ports/clock.ts';
import type {
  CheckOptions,
  PackageManager,
  PatchOutcome,
  PatchPlan,
  PatchWork,
  UpdateCheck,
} from '../../../application/ports/package-manager.ts';
import type { Randomness } from '../../../application/ports/randomness.ts';
import type { HostProcess, RemoteHost } from '../../../application/ports/remote-host.ts';
import { hostLines } from '../../../application/remote-host/host-lines.ts';
import { plainText } from '../../../application/remote-host/host-text.ts';
import { limitedSignal } from '../../../application/remote-host/limited-signal.ts';
import { readSections, SECTIONS_PRELUDE } from '../../../application/remote-host/marked-sections.ts';
import { DomainError } from '../../../domain/errors.ts';
import { MINUTE, SECOND } from '../../../domain/instant.ts';
import type { OsStep } from '../../../domain/job.ts';
import type { PackageChange } from '../../../domain/package-change.ts';
import { patchOrder } from '../patch/order.ts';
import { type PatchRemedies, patchOutcome } from '../patch/outcome.ts';
import { REBOOT_SIGNS, readRebootState } from '../reboot.ts';
import { withoutPasswords } from '../without-passwords.ts';
import { APT_LISTING, aptPlanErrors, readAptPackages } from './apt-listing.ts';
import { APT_PATCH } from './apt-patch.ts';
import { aptPatchPlan, PLAN } from './apt-patch-plan.ts';
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

/**
 * Both streams in one, so that reasons stay under what they explain. `exec` lets whatever ends the shell end apt,
 * which may be ended at any time here: it moves each new list into place whole. It is not asked to throw its caches away and
 * build them anew at its end, changed or not, which is a third of its work: the listing, or whoever comes next, sees whether
 * they still fit.
 */
const REFRESH = String.raw`
exec </dev/null 2>&1
export LC_ALL=C DEBIAN_FRONTEND=noninteractive PATH="$PATH:/usr/sbin:/sbin:/usr/bin:/bin"
command -v apt-get >/dev/null || exit 127
exec apt-get update -q -o pkgCacheFile::Generate=false -o DPkg::Lock::Timeout=300 -o APT::Color=0 -o Acquire::Retries=2 \
  -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 -o Acquire::ftp::Timeout=30
`;

const LIST = `${SECTIONS_PRELUDE}${APT_LISTING}${REBOOT_SIGNS}
packages_and_reboot() {
  apt_packages "$1"
  section_here reboot reboot_signs
}
at_once packages_and_reboot "$2"
exit 0
`;
const LIST_LIMITS = { timeoutMs: 3 * MINUTE, maxOutputBytes: 6 * 1024 * 1024 };

export const APT_REMEDIES: PatchRemedies = {
  tool: 'apt-get',
  lock: 'fuser -v /var/lib/dpkg/lock-frontend',
  space: 'free some space (apt-get clean, old kernels) and start again.',
  broken:
    'Read the log of the job, mend the package on the host, then run "dpkg --configure -a" there; "dpkg --audit" shows what is left.',
  failed: 'Read the log of the job, and run "apt-get -f install" on the host.',
};

/** The package manager of Debian, Ubuntu and their relatives. */
export class AptPackageManager implements PackageManager {
  readonly family = 'debian';
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
    const notes = await this.#refresh(host, options);
    const mark = Buffer.from(this.#randomness.bytes(16)).toString('hex');
    const { signal, former = null } = options;
    const command = { script: LIST, args: [mark, former?.packagesStamp ?? ''], asRoot: true };
    const result = await host.run(command, { ...LIST_LIMITS, signal });
    const sections = readSections(result.stdout.toString('utf8'), mark);
    const packages = readAptPackages(sections, former);
    const { updates, packagesNotes } = packages;
    if (updates === null) throw planRefusal(aptPlanErrors(sections).map(withoutPasswords));
    const reboot = readRebootState(sections);
    const asked =
      reboot.askedBy.length > 0 ? [`A reboot was asked for by: ${reboot.askedBy.join(', ')}.`] : [];
    return {
      updates,
      packages,
      rebootPending: reboot.pending,
      notes: [...notes, ...packagesNotes, ...asked],
    };
  }

  async plan(
    host: RemoteHost,
    { steps, signal }: { steps: readonly OsStep[]; signal: AbortSignal },
  ): Promise<PatchPlan> {
    const mark = Buffer.from(this.#randomness.bytes(16)).toString('hex');
    const command = { script: PLAN, args: [mark, steps.join(' ')], asRoot: true };
    const result = await host.run(command, { ...LIST_LIMITS, signal });
    return aptPatchPlan(readSections(result.stdout.toString('utf8'), mark));
  }

  patch(options: { steps: readonly OsStep[]; plan: readonly PackageChange[] | null }): PatchWork {
    return patchOrder(APT_PATCH, { ...options, lockWaitMs: this.#lockWaitMs });
  }

  outcome(ended: { exitCode: number; result: string }): PatchOutcome {
    return patchOutcome(ended, APT_REMEDIES);
  }

  /** Gives what went wrong on the way; throws where nothing went right. */
  async #refresh(host: RemoteHost, options: CheckOptions): Promise<string[]> {
    const start = this.#clock.now();
    let waitingFor: string | null = null;
    for (;;) {
      const { log, exitCode } = await this.#tryRefresh(host, options);
      if (log.lockedBy === null) {
        const refusal = refreshRefusal(log, exitCode);
        if (refusal) throw refusal;
        return notesOf(log);
      }
      const waited = this.#clock.now() - start;
      if (waited >= this.#lockWaitMs) throw lockRefusal(log.lockedBy, waited);
      if (waitingFor !== log.lockedBy) options.onLine(`Waiting for ${log.lockedBy}, which holds apt's lock.`);
      waitingFor = log.lockedBy;
      await this.#clock.sleep(this.#lockRetryMs, options.signal);
      options.signal.throwIfAborted();
    }
  }

  async #tryRefresh(host: RemoteHost, { signal, onLine }: CheckOptions): Promise<Refreshed> {
    signal.throwIfAborted();
    const ending = limitedSignal(signal, this.#refreshTimeoutMs, () => tooLong(this.#refreshTimeoutMs));
    const log = new AptRefreshLog();
    let apt: HostProcess | null = null;
    try {
      apt = await host.open({ script: REFRESH, asRoot: true }, { signal: ending.signal });
      apt.stdin.end();
      apt.stderr.resume();
      await readLines(apt, log, onLine);
      const { exitCode } = await apt.exit;
      ending.signal.throwIfAborted();
      return { log, exitCode };
    } catch (error) {
      apt?.kill();
      // a stream that breaks while the command is being ended is not what the caller needs to hear of
      ending.signal.throwIfAborted();
      throw error;
    } finally {
      ending.letGo();
    }
  }
}

/** Tells nothing of a run that finds apt locked: the lock is waited for and told once, not at each try. */
async function readLines(
  apt: HostProcess,
  log: AptRefreshLog,
  onLine: (line: string) => void,
): Promise<void> {
  const held: string[] = [];
  let isUnderWay = false;
  for await (const line of hostLines(apt.stdout)) {
    log.read(line);
    const plain = plainText(withoutPasswords(line), 500);
    if (plain === null) continue;
    isUnderWay ||= held.length >= MOST_HELD_LINES || /^(Hit|Get|Ign|Err):/.test(plain);
    held.push(plain);
    if (isUnderWay) for (const each of held.splice(0)) onLine(each);
  }
  if (log.lockedBy === null) for (const each of held) onLine(each);
}

/** apt finds the lock out before it prints more than a few lines. */
const MOST_HELD_LINES = 20;

interface Refreshed {
  readonly log: AptRefreshLog;
  readonly exitCode: number | null;
}

const notesOf = (log: AptRefreshLog): string[] => [
  ...Array.from(log.failed, ([source, reason]) => `A package source failed: ${source}: ${reason}.`),
  ...(log.failed.size === 0 && !log.anyRefreshed ? ['apt has no package sources on this host.'] : []),
  ...log.errors,
  ...log.warnings,
];

const tooLong = (limitMs: number): DomainError =>
  new DomainError(
    'host_timeout',
    `apt-get update did not end within ${limitMs / MINUTE} min on the host; it was ended. Look at its package sources and network.`,
  );
