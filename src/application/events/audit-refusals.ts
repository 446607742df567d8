import type { Actor } from '../../domain/access/actor.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';

/** Runs a change and, if it is refused, writes an audit entry about the refusal before it rethrows. */
export class RefusalAuditor extends UseCase<'audit' | 'clock'> {
  async watch<T>(
    change: { actor: Actor; action: string; object: string; detail?: { readonly [key: string]: unknown } },
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isDomainError(error) && error.code !== 'database_unavailable') {
        await this.deps.audit.record(
          auditEntry(
            change.actor,
            this.deps.clock.now(),
            change.action,
            change.object,
            change.detail,
            error.code,
          ),
        );
      }
      throw error;
    }
  }
}
