import { askHost } from '../../src/adapters/outbound/hosts/shell/host-text.ts';
import type { Clock } from '../../src/application/ports/base/clock.ts';
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
  WhyLeft,
} from '../../src/application/ports/fleet/package-manager.ts';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import type { OsFamily, PendingUpdate } from '../../src/domain/fleet/inventory.ts';
import { changeLine, type PackageChange, sortChanges } from '../../src/domain/fleet/package-change.ts';
import type { OsStep } from '../../src/domain/jobs/job.ts';

export interface FakePackage {
  readonly name: string;
  readonly version: string;
  readonly security?: boolean;
}

interface Source {
  readonly name: string;
  packages: readonly FakePackage[];
  works: boolean;
  /** Never answers. */
  stalled?: boolean;
}

const FOREVER_MS = 3_600_000;

/** One host's packages, their sources and their lock, in memory. */
export class FakePackageManager implements PackageManager {
  readonly family: OsFamily;
  readonly sources: Source[] = [{ name: 'main', packages: [], works: true }];
  readonly installed = new Map<string, string>();
  readonly held = new Set<string>();
  rebootPending = false;
  /** Who holds the lock. */
  lockedBy: string | null = null;
  /** Fails every check. */
  failure: DomainError | null = null;
  readonly #lists = new Map<string, readonly FakePackage[]>();
  /** How long another program may hold the lock, in milliseconds. */
  lockWaitMs = 300_000;
  readonly #clock: Clock;

  constructor({ clock, family = 'debian' }: { clock: Clock; family?: OsFamily }) {
    this.#clock = clock;
    this.family = family;
  }

  async check(host: RemoteHost, { signal, onLine, first }: CheckOptions): Promise<UpdateCheck> {
    signal.throwIfAborted();
    if (this.failure) throw this.failure;
    if (first) await askHost(host, first, signal);
    await this.#waitForLock({ signal, onLine });
    for (const source of this.sources) {
      if (source.stalled) await this.#clock.sleep(FOREVER_MS, signal);
      signal.throwIfAborted();
      onLine(`${source.works ? 'Hit' : 'Err'} ${source.name}`);
      if (source.works) this.#lists.set(source.name, source.packages);
    }
    const dead = this.sources.filter(({ works }) => !works).map(({ name }) => name);
    if (dead.length > 0 && dead.length === this.sources.length) {
      throw new DomainError(
        'host_command_failed',
        `No package source could be refreshed: ${dead.join(', ')}. Mend them.`,
      );
    }
    return {
      updates: this.#pending(),
      packages: null,
      rebootPending: this.rebootPending,
      notes: dead.map((name) => `A package source failed: ${name}.`),
    };
  }

  async plan(
    _host: RemoteHost,
    { steps, hold = [], signal }: { steps: readonly OsStep[]; hold?: readonly string[]; signal: AbortSignal },
  ): Promise<PatchPlan> {
    signal.throwIfAborted();
    if (this.failure) throw this.failure;
    const pending = steps.includes('upgrade') ? this.#pending() : [];
    const changes = pending
      .filter((update) => !update.held && !hold.includes(update.name))
      .map(({ name, from, to, security }) => ({ kind: 'upgrade' as const, name, from, to, security }));
    return {
      changes: sortChanges(changes),
      held: this.#pending().filter((update) => update.held),
      keptBack: [],
      notes: [],
    };
  }

  /** The work of a real one is a script; this one's is named after its purpose. */
  patch({ steps, plan, hold = [], guard }: PatchOptions): PatchWork {
    const holding = hold.length === 0 ? [] : [`hold ${hold.join(' ')}`];
    const guarding = guard === undefined ? [] : [`guard ${guard.observeSeconds} ${guard.places.join(' ')}`];
    const changes = (plan ?? []).map(changeLine);
    return { script: 'patch', args: [steps.join(' '), ...changes, ...holding, ...guarding] };
  }

  readonly canDowngrade = true;

  /** Packages whose earlier versions are not offered. */
  readonly gone = new Set<string>();

  async planDowngrade(
    _host: RemoteHost,
    { targets }: { targets: readonly DowngradeTarget[]; signal: AbortSignal },
  ): Promise<DowngradePlan> {
    const whyLeft = ({ name, version }: DowngradeTarget): WhyLeft | null => {
      const installed = this.installed.get(name);
      if (installed === undefined) return 'absent';
      if (installed === version) return 'already';
      if (this.held.has(name)) return 'held';
      return this.gone.has(name) ? 'gone' : null;
    };
    const changes = targets
      .filter((each) => whyLeft(each) === null)
      .map(({ name, version }) => {
        const from = this.installed.get(name) ?? null;
        return { kind: 'downgrade' as const, name, from, to: version, security: false };
      });
    const left = targets.flatMap((each) => {
      const why = whyLeft(each);
      return why === null ? [] : { ...each, why };
    });
    return { changes: sortChanges(changes), left };
  }

  downgrade({ plan }: { targets: readonly DowngradeTarget[]; plan: readonly PackageChange[] }): PatchWork {
    return { script: 'downgrade', args: plan.map(changeLine) };
  }

  recovery(runId: string): PatchWork {
    return { script: 'recover', args: [runId] };
  }

  /** The result is the outcome as JSON. */
  outcome({ exitCode, result }: { exitCode: number; result: string }): PatchOutcome {
    const failure = exitCode === 0 ? null : new DomainError('patch_failed', 'It went wrong. Mend it.');
    const empty = { changes: [], planNow: null, notes: [], guard: null };
    return { ...empty, failure, ...(JSON.parse(result || '{}') as object) };
  }

  async #waitForLock({ signal, onLine }: CheckOptions): Promise<void> {
    const start = this.#clock.now();
    if (this.lockedBy !== null) onLine(`Waiting for ${this.lockedBy}, which holds the lock.`);
    while (this.lockedBy !== null) {
      if (this.#clock.now() - start >= this.lockWaitMs) {
        throw new DomainError('host_command_failed', `${this.lockedBy} holds the lock. Try again later.`);
      }
      await this.#clock.sleep(100, signal);
      signal.throwIfAborted();
    }
  }

  #pending(): PendingUpdate[] {
    const offered = [...this.#lists].flatMap(([origin, packages]) =>
      packages.map((each) => ({ ...each, origin })),
    );
    return offered.flatMap(({ name, version, security = false, origin }) => {
      const from = this.installed.get(name);
      if (from === undefined || from === version) return [];
      return [{ name, from, to: version, security, origin, held: this.held.has(name) }];
    });
  }
}
