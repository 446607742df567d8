import type { ApproveRequest, RefuseRequest } from '../../../../../application/jobs/decide-approval.ts';
import type { ListApprovals, QueuedApproval } from '../../../../../application/jobs/list-approvals.ts';
import { isDomainError } from '../../../../../domain/base/errors.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { approvalTitle } from '../../../../../domain/jobs/approval.ts';
import { type BulkOutcome, bulkResultPage, refusalOf } from '../../components/bulk-outcome.tsx';
import { idOf } from '../../form-state.ts';
import { part, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { faultOf, followUpOf } from './approval-outcome.ts';
import { chipsOf, PlanChips } from './plan-summary.tsx';

const PATH = '/approvals';
export const BULK = `${PATH}/bulk`;
export const SUM = `/live${PATH}/sum`;
export const SUM_ID = 'approval-sum';
/** As many as a queue shows. */
const MAX_SELECTED = 50;

interface BulkDeps {
  readonly listApprovals: Pick<ListApprovals, 'queue'>;
  readonly approveRequest: Pick<ApproveRequest, 'execute'>;
  readonly refuseRequest: Pick<RefuseRequest, 'execute'>;
}

/** Decides the selected requests, and says what they amount to. */
export const bulkApprovalRoutes = (deps: BulkDeps): readonly WebRoute[] => [
  { method: 'POST', path: BULK, needs: 'operator', handle: (visit) => decideSelected(deps, visit) },
  {
    method: 'GET',
    path: SUM,
    needs: 'operator',
    byItself: true,
    handle: async ({ visitor, query }) => {
      const selected = selectedIn(query);
      const { items } = await deps.listApprovals.queue(visitor.actor);
      return part(<Sum selected={items.filter(({ approval }) => selected.has(approval.id))} />);
    },
  },
];

/** Below the queue, once a request is selected. */
export const DecideSelected = () => (
  <div class="selected">
    <div id={SUM_ID} role="status" />
    <input
      type="text"
      name="note"
      aria-label="Note for all"
      placeholder="Note, optional"
      autocomplete="off"
    />
    <div class="row">
      <button type="submit" name="decision" value="decline" class="danger small">
        Decline selected
      </button>
      <button type="submit" name="decision" value="approve" class="quiet small">
        Approve selected
      </button>
    </div>
  </div>
);

/** `3 requests selected: 2 jobs, on 2 servers`, and what their plans amount to. */
function Sum({ selected }: { readonly selected: readonly QueuedApproval[] }) {
  if (selected.length === 0) return null;
  const servers = new Set(selected.flatMap(({ approval }) => approval.serverId ?? []));
  const jobs = selected.filter(
    ({ approval }) => approval.jobType !== null && approval.batchId === null,
  ).length;
  const batches = selected.filter(({ approval }) => approval.batchId !== null).length;
  const parts = [
    jobs > 0 ? count(jobs, 'job') : null,
    batches > 0 ? count(batches, 'batch', 'batches') : null,
    servers.size > 0 ? `on ${count(servers.size, 'server')}` : null,
  ].filter((each) => each !== null);
  return (
    <>
      {`${count(selected.length, 'request')} selected${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`}
      <PlanChips chips={chipsOf(selected.flatMap(({ plan }) => (plan?.result ? [plan.result] : [])))} />
    </>
  );
}

const selectedIn = (fields: URLSearchParams): ReadonlySet<number> =>
  new Set(fields.getAll('ids').flatMap((raw) => idOf(raw) ?? []));

/** Approves or declines the selected requests, each with the plan that was shown. */
async function decideSelected(
  { listApprovals, approveRequest, refuseRequest }: BulkDeps,
  { visitor: { actor }, form }: SignedInVisit,
): Promise<WebReply> {
  const { items } = await listApprovals.queue(actor);
  const selected = selectedIn(form);
  const [declines, note] = [form.get('decision') === 'decline', form.get('note') ?? ''];
  const verb = declines ? 'Declined' : 'Approved';
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
      if (declines) {
        await refuseRequest.execute(actor, id, { note });
        outcomes.push({ ...row, result: 'declined', refusal: null });
        continue;
      }
      const approved = await approveRequest.execute(actor, id, { planId, note });
      const { href, label } =
        approved.state === 'waiting'
          ? { href: `${PATH}/${id}`, label: 'needs another user' }
          : followUpOf(approved);
      outcomes.push({ ...row, result: <a href={href}>{label}</a>, refusal: faultOf(approved) });
    } catch (error) {
      if (isDomainError(error) && error.code === 'role_missing') throw error;
      outcomes.push({ ...row, result: null, refusal: refusalOf(error, outcomes) });
    }
  }
  if (outcomes.length > 0 && outcomes.every(({ refusal }) => refusal === null)) {
    const words = `${verb} ${count(outcomes.length, 'request')}`;
    const link = declines
      ? { href: `${PATH}?state=refused`, label: 'declined requests' }
      : { href: '/jobs?status=active', label: 'running jobs' };
    return { ...redirect(PATH), toast: { words, link } };
  }
  return bulkResultPage({
    area: 'approvals',
    verb,
    noun: 'request',
    back: { href: PATH, label: 'All requests' },
    outcomes,
  });
}
