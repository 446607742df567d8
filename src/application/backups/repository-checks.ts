import type { Actor } from '../../domain/access/actor.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { HOUR, type Instant } from '../../domain/base/instant.ts';
import type { AuditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import type { CheckRepository } from './check-repository.ts';
import type { ManageRepositories } from './manage-repositories.ts';

/** A check that goes on in this process, or ended there. */
export interface CheckUnderWay {
  readonly startedAt: Instant;
  /** Its last output. */
  readonly current: string | null;
  /** `null`: it goes on. */
  readonly ended: { readonly at: Instant; readonly fault: string | null } | null;
}

const MAX_AT_ONCE = 4;
const MAX_MS = 6 * HOUR;
const HISTORY = 10;

/** Checks repositories in the background. Each result is in the audit log. */
export class RepositoryChecks extends UseCase<
  'log' | 'audit.list' | 'clock.now',
  {
    readonly checkRepository: Pick<CheckRepository, 'execute'>;
    readonly manageRepositories: Pick<ManageRepositories, 'find'>;
  }
> {
  /** By the repository's id; one for each at most. */
  readonly #checks = new Map<number, CheckUnderWay>();

  /** Throws `repository_not_found`, and `invalid_input` where too much goes on already. */
  async start(
    actor: Actor,
    order: { readonly name: string; readonly serverId: number | null; readonly readPercent: number },
  ): Promise<void> {
    actor.requireRole('administrator');
    const { id } = await this.deps.manageRepositories.find(order.name);
    const busy = [...this.#checks.values()].filter(({ ended }) => ended === null);
    if (this.#checks.get(id)?.ended === null)
      throw new DomainError('invalid_input', 'A check of this repository is already running.');
    if (busy.length >= MAX_AT_ONCE)
      throw new DomainError('invalid_input', `${MAX_AT_ONCE} repository checks are already running.`);
    this.#checks.set(id, { startedAt: this.deps.clock.now(), current: null, ended: null });
    void this.#run(id, actor, order);
  }

  /** Running checks, and results of earlier ones, newest first. */
  async look(
    actor: Actor,
    id: number,
  ): Promise<{
    readonly now: CheckUnderWay | null;
    readonly before: readonly (AuditEntry & { id: number })[];
  }> {
    actor.requireRole('administrator');
    const { items } = await this.deps.audit.list(
      { object: `repository:${id}` },
      { limit: 5 * HISTORY, offset: 0 },
    );
    const before = items.filter(({ action }) => action === 'repository.check').slice(0, HISTORY);
    return { now: this.#checks.get(id) ?? null, before };
  }

  async #run(id: number, ...[actor, order]: Parameters<RepositoryChecks['start']>): Promise<void> {
    const say = (over: Partial<CheckUnderWay>): void => {
      const before = this.#checks.get(id);
      if (before) this.#checks.set(id, { ...before, ...over });
    };
    const watch = {
      signal: AbortSignal.timeout(MAX_MS),
      log: (line: string) => say({ current: line.slice(0, 300) }),
      progress: (current: string) => say({ current: current.slice(0, 300) }),
    };
    let fault: string | null = null;
    try {
      await this.deps.checkRepository.execute(actor, order, watch);
    } catch (error) {
      fault = isDomainError(error)
        ? (error.problems[0]?.message ?? error.message)
        : 'The check could not be finished.';
      if (!isDomainError(error)) this.deps.log.warn('a repository could not be checked', { id, error });
    }
    say({ ended: { at: this.deps.clock.now(), fault } });
  }
}
