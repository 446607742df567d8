import type { ApprovalDetail, QueuedApproval } from '../../../../../application/jobs/list-approvals.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { type Approval, approvalTitle } from '../../../../../domain/jobs/approval.ts';
import { isTerminal } from '../../../../../domain/jobs/job.ts';
import { takesPlan } from '../../../../../domain/jobs/job-types.ts';
import { LiveList } from '../../components/list-page.tsx';
import { JobState, Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { Until } from './approval.tsx';
import { BULK, DecideSelected, SUM, SUM_ID } from './approval-bulk.tsx';
import { followUpOf } from './approval-outcome.ts';
import { planExpiry } from './plan-actions.tsx';
import { type Chip, chipsOf } from './plan-summary.tsx';

const PATH = '/approvals';
/** Names what was approved a moment ago, in the address of the next request. */
export const APPROVED = 'approved';

interface QueueProps {
  readonly queue: Page<QueuedApproval>;
  /** The request beside it; null: none waits. */
  readonly at: number | null;
  /** What was approved a moment ago, and its job. */
  readonly approved: Pick<ApprovalDetail, 'approval' | 'job'> | null;
  readonly mayDecide: boolean;
  readonly now: Instant;
}

/** All requests that wait, oldest first. Stays up to date; the request beside it does not change on its own. */
export function ApprovalQueue({ queue: { items, total }, at, approved, mayDecide, now }: QueueProps) {
  const place = items.findIndex(({ approval }) => approval.id === at);
  const query = new URLSearchParams([
    ...(at === null ? [] : [['at', String(at)]]),
    ...(approved === null ? [] : [[APPROVED, String(approved.approval.id)]]),
  ]);
  return (
    <LiveList path={PATH} query={query}>
      {approved?.approval.state !== 'approved' ? null : <JustApproved {...approved} />}
      <form class="card queue" method="post" action={BULK} aria-label="Waiting requests">
        <header>
          <h2>Waiting</h2> <span class="count care">{total}</span>
          {mayDecide && items.length > 1 ? <span class="acts quiet">select to decide several</span> : null}
        </header>
        <ul
          {...(mayDecide
            ? {
                'hx-get': SUM,
                'hx-trigger': 'change',
                'hx-include': '.queue [name="ids"]',
                'hx-target': `#${SUM_ID}`,
                'hx-swap': 'innerHTML',
              }
            : {})}
        >
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
        {mayDecide ? <DecideSelected /> : null}
      </form>
    </LiveList>
  );
}

function JustApproved({ approval, job }: NonNullable<QueueProps['approved']>) {
  const { href, label } = followUpOf(approval);
  return (
    <p class="notice good">
      Just approved: {titleOf(approval)}, <a href={href}>{label}</a>{' '}
      {job === null ? null : <JobState status={job.status} />}
    </p>
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
  return (plan.result === null ? undefined : chipsOf([plan.result])[0]) ?? ['off', 'planned'];
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
