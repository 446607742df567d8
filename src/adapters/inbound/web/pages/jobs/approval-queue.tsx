import type { ApproveRequest } from '../../../../../application/jobs/decide-approval.ts';
import type { ListApprovals, QueuedApproval } from '../../../../../application/jobs/list-approvals.ts';
import { isDomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { type Approval, approvalTitle } from '../../../../../domain/jobs/approval.ts';
import { isTerminal } from '../../../../../domain/jobs/job.ts';
import { takesPlan } from '../../../../../domain/jobs/job-types.ts';
import { type BulkOutcome, bulkResultPage } from '../../components/bulk-outcome.tsx';
import { LiveList } from '../../components/list-page.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { idOf } from '../../form-state.ts';
import { redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { Until } from './approval.tsx';
import { planExpiry } from './plan-actions.tsx';
import { type Chip, chipsOf } from './plan-summary.tsx';

const PATH = '/approvals';
const BULK = `${PATH}/bulk`;
/** As many as a queue shows. */
const MAX_SELECTED = 50;

interface QueueProps {
  readonly queue: Page<QueuedApproval>;
  /** The request beside it; null: none waits. */
  readonly at: number | null;
  readonly mayDecide: boolean;
  readonly now: Instant;
}

/** All requests that wait, oldest first. Stays up to date; the request beside it does not change on its own. */
export function ApprovalQueue({ queue: { items, total }, at, mayDecide, now }: QueueProps) {
  const place = items.findIndex(({ approval }) => approval.id === at);
  return (
    <LiveList path={PATH} query={new URLSearchParams(at === null ? {} : { at: String(at) })}>
      <form class="card queue" method="post" action={BULK} aria-label="Waiting requests">
        <header>
          <h2>Waiting</h2> <span class="count care">{total}</span>
          {mayDecide ? (
            <button type="submit" class="quiet small acts">
              Approve selected
            </button>
          ) : null}
        </header>
        <ul>
          {items.map(({ approval, plan }, index) => (
            <li key={approval.id} aria-current={index === place ? 'true' : undefined}>
              {mayDecide ? (
                <>
                  <label class="hit">
                    <input
                      type="checkbox"
                      name="ids"
                      value={approval.id}
                      aria-label={`Select ${titleOf(approval)}`}
                      autocomplete="off"
                    />
                  </label>
                  {plan === null ? null : (
                    <input type="hidden" name={`plan_${approval.id}`} value={plan.id} />
                  )}
                </>
              ) : null}
              <div>
                <a href={`${PATH}/${approval.id}`} data-key={keyOf(index, place)}>
                  {titleOf(approval)}
                </a>
                <p>
                  {approval.requester.name} · <Ago at={approval.createdAt} now={now} />
                </p>
                <p>
                  <PlanPill queued={{ approval, plan }} now={now} /> expires{' '}
                  <Until approval={approval} now={now} />
                </p>
              </div>
            </li>
          ))}
        </ul>
        {total > items.length ? <p class="body quiet">and {total - items.length} more</p> : null}
      </form>
    </LiveList>
  );
}

const titleOf = (approval: Approval): string => `${approvalTitle(approval)} · ${approval.subject}`;

/** `j` leads down the queue and `k` up. */
const keyOf = (index: number, place: number): string | undefined =>
  index === place + 1 ? 'j' : index === place - 1 ? 'k' : undefined;

/** What to know before a request is selected: the risk of its plan, or that there is none to approve. */
function PlanPill({ queued, now }: { readonly queued: QueuedApproval; readonly now: Instant }) {
  const [tone, words] = planState(queued, now);
  return <Status tone={tone}>{words}</Status>;
}

function planState({ approval, plan }: QueuedApproval, now: Instant): Chip {
  if (approval.batchId !== null) return ['off', 'batch'];
  if (approval.jobType === null) return ['off', 'change'];
  if (plan === null) return ['off', takesPlan(approval.jobType) ? 'no dry run' : 'no changes'];
  if (!isTerminal(plan.status)) return ['busy', 'dry run'];
  if (plan.status !== 'success') return ['bad', 'dry run failed'];
  const expiry = planExpiry(plan);
  if (expiry !== null && expiry <= now) return ['off', 'plan expired'];
  return (plan.result === null ? undefined : chipsOf(plan.result)[0]) ?? ['off', 'planned'];
}

/** The request to show after a decision: the one behind it in the queue, or the first; null if none is left. */
export function nextOf(queue: readonly QueuedApproval[], decided: Approval): number | null {
  const left = queue.map(({ approval }) => approval).filter(({ id }) => id !== decided.id);
  const next = left.find(
    ({ createdAt, id }) =>
      createdAt > decided.createdAt || (createdAt === decided.createdAt && id > decided.id),
  );
  return (next ?? left[0])?.id ?? null;
}

/** What an approval started, or the request itself. */
export const followUpOf = ({ id, jobId, batchId }: Approval): { href: string; label: string } =>
  jobId !== null
    ? { href: `/jobs/${jobId}`, label: `job ${jobId}` }
    : batchId !== null
      ? { href: `/batches/${batchId}`, label: `batch ${batchId}` }
      : { href: `${PATH}/${id}`, label: `request ${id}` };

/** Why an approved change was not made, or may not have been; null: no fault. */
export const faultOf = ({ change }: Approval): string | null =>
  change?.outcome === 'failed' || change?.outcome === 'unknown' ? change.outcomeDetail : null;

interface BulkDeps {
  readonly listApprovals: Pick<ListApprovals, 'queue'>;
  readonly approveRequest: Pick<ApproveRequest, 'execute'>;
}

/** Approves the selected requests, each with the plan that was shown. */
export const bulkApprovalRoute = (deps: BulkDeps): WebRoute => ({
  method: 'POST',
  path: BULK,
  needs: 'operator',
  handle: (visit) => approveSelected(deps, visit),
});

async function approveSelected(
  { listApprovals, approveRequest }: BulkDeps,
  { visitor: { actor }, form }: SignedInVisit,
): Promise<WebReply> {
  const { items } = await listApprovals.queue(actor);
  const selected = new Set(form.getAll('ids').flatMap((raw) => idOf(raw) ?? []));
  const outcomes: BulkOutcome[] = [];
  for (const id of [...selected].slice(0, MAX_SELECTED)) {
    const waiting = items.find(({ approval }) => approval.id === id)?.approval;
    const planId = idOf(form.get(`plan_${id}`) ?? undefined);
    const row = {
      key: id,
      name: <a href={`${PATH}/${id}`}>{waiting ? approvalTitle(waiting) : `Request ${id}`}</a>,
      server: waiting?.subject ?? '–',
    };
    try {
      const approved = await approveRequest.execute(actor, id, { planId });
      const { href, label } =
        approved.state === 'waiting'
          ? { href: `${PATH}/${id}`, label: 'needs another user' }
          : followUpOf(approved);
      outcomes.push({ ...row, result: <a href={href}>{label}</a>, refusal: faultOf(approved) });
    } catch (error) {
      if (!isDomainError(error) || error.code === 'role_missing') throw error;
      outcomes.push({ ...row, result: null, refusal: error.message });
    }
  }
  if (outcomes.length > 0 && outcomes.every(({ refusal }) => refusal === null)) {
    const words = `Approved ${count(outcomes.length, 'request')}`;
    return {
      ...redirect(PATH),
      toast: { words, link: { href: '/jobs?status=active', label: 'running jobs' } },
    };
  }
  return bulkResultPage({
    area: 'approvals',
    verb: 'Approved',
    noun: 'request',
    back: { href: PATH, label: 'All requests' },
    outcomes,
  });
}
