import type { Actor } from '../../domain/access/actor.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { type Approval, approvalDecided, approvalNotFound } from '../../domain/jobs/approval.ts';
import { changeDrifted } from '../../domain/jobs/requested-change.ts';
import { UseCase } from '../base/use-case.ts';
import { type ChangeContents, changeContents } from './change-contents.ts';
import type { ChangeHandlers } from './change-handlers.ts';

/** Errors after which the change may or may not have been made. */
const UNCERTAIN = ['database_unavailable', 'host_connection_lost', 'host_timeout'] as const;

/** Makes an approved change: exactly what the reviewer saw, at most once. */
export class MakeChange extends UseCase<
  'approvals' | 'box' | 'digest' | 'clock' | 'log',
  { readonly changes: ChangeHandlers }
> {
  /**
   * Checks the change as of now, before it is approved. Throws `plan_drifted` if it would do something else than what
   * the reviewer saw, and what the change itself would.
   */
  async prepare(asker: Actor, approval: Approval): Promise<ChangeContents> {
    const { approvals, box, changes, digest } = this.deps;
    const contents = await changeContents({ approvals, box }, approval.id);
    if (contents === null) throw approvalDecided((await approvals.find(approval.id)) ?? approval);
    const preview = await changes.preview(asker, contents.change);
    if (preview === null || digest.sha256(preview.state) !== approval.change?.basis) throw changeDrifted();
    return { change: contents.change, preview };
  }

  /** After the approval was written. Never throws for a failure of the change: the request keeps its result. */
  async make(asker: Actor, { id }: Approval, { change, preview }: ChangeContents): Promise<Approval> {
    const { approvals, changes, clock, log } = this.deps;
    let outcome: 'done' | 'failed' | 'unknown' = 'done';
    let detail: string | null = null;
    try {
      await changes.perform(asker, change, preview);
    } catch (error) {
      const isKnown = isDomainError(error);
      outcome = isKnown && !UNCERTAIN.some((code) => code === error.code) ? 'failed' : 'unknown';
      detail = isKnown ? error.message : 'Internal error. See the service log.';
      if (!isKnown) log.error('an approved change failed', { approval: id, error });
    }
    const audit = [
      auditEntry(asker, clock.now(), 'approval.change', `approval:${id}`, {
        kind: change.kind,
        outcome,
        ...(detail === null ? {} : { error: detail }),
      }),
    ];
    await approvals.settle(id, { outcome, detail }, { audit });
    const settled = await approvals.find(id);
    if (!settled) throw approvalNotFound(id);
    return settled;
  }
}
