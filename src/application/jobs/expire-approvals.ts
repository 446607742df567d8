import { Actor } from '../../domain/access/actor.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { MINUTE } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { type Approval, nobodyDecided } from '../../domain/jobs/approval.ts';
import { OUTCOME_UNKNOWN } from '../../domain/jobs/requested-change.ts';
import { UseCase } from '../base/use-case.ts';
import { subjectOf } from './approval-record.ts';
import { jobEvent } from './job-event.ts';

const PAGE = 100;

/** A change takes seconds; after this long its process is gone. */
const CHANGE_MS = 15 * MINUTE;

/** Expires requests that were not decided in time. Safe to run in several processes at once. */
export class ExpireApprovals extends UseCase<'approvals' | 'clock'> {
  /** Records that the result of cut-off changes is unknown. Returns how many requests expired. */
  async execute(signal: AbortSignal): Promise<number> {
    let ended = 0;
    await this.#settle();
    for (;;) {
      const due = await this.deps.approvals.due(this.deps.clock.now(), PAGE);
      for (const approval of due) {
        if (signal.aborted) return ended;
        if (await this.#expire(approval)) ended += 1;
      }
      if (due.length < PAGE) return ended;
    }
  }

  async #settle(): Promise<void> {
    const { approvals, clock } = this.deps;
    const at = clock.now();
    for (const { id, change } of await approvals.unsettled(at - CHANGE_MS, PAGE)) {
      const about = { kind: change?.kind, outcome: 'unknown', error: OUTCOME_UNKNOWN };
      const entry = auditEntry(Actor.system('approvals'), at, 'approval.change', `approval:${id}`, about);
      await approvals.settle(id, { outcome: 'unknown', detail: OUTCOME_UNKNOWN }, { audit: [entry] });
    }
  }

  async #expire(approval: Approval): Promise<boolean> {
    const at = this.deps.clock.now();
    const system = Actor.system('approvals');
    try {
      await this.deps.approvals.end(
        approval.id,
        { state: 'expired', at, by: null, note: null, reason: nobodyDecided(approval) },
        ({ job }) => ({
          audit: [
            auditEntry(system, at, 'approval.expire', `approval:${approval.id}`, {
              ...subjectOf(approval),
              requestedBy: approval.requester.label,
            }),
          ],
          events: job ? [jobEvent(job, at)] : [],
        }),
      );
      return true;
    } catch (error) {
      // Someone decided just now, or another process was faster.
      if (isDomainError(error, 'approval_decided')) return false;
      throw error;
    }
  }
}
