import type { ListHostChanges } from '../../../../../application/fleet/list-host-changes.ts';
import type { ApprovalPlans } from '../../../../../application/jobs/approval-plans.ts';
import type { ApproveRequest, RefuseRequest } from '../../../../../application/jobs/decide-approval.ts';
import type {
  ApprovalDetail,
  GetApproval,
  ListApprovals,
  QueuedApproval,
} from '../../../../../application/jobs/list-approvals.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { DomainError, isDomainError } from '../../../../../domain/base/errors.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { type Approval, approvalNotFound, approvalTitle } from '../../../../../domain/jobs/approval.ts';
import { Empty } from '../../components/empty.tsx';
import { type FormState, NEW_FORM } from '../../components/form.tsx';
import { LiveList } from '../../components/list-page.tsx';
import { idOf, submit } from '../../form-state.ts';
import { jobName } from '../../job-started.ts';
import {
  done,
  page,
  part,
  type RedirectReply,
  redirect,
  type SignedInVisit,
  type WebReply,
  type WebRoute,
} from '../../route.ts';
import { mayOperate } from '../fleet/remedy.tsx';
import { ApprovalStatus, Decision, Until } from './approval.tsx';
import { bulkApprovalRoutes } from './approval-bulk.tsx';
import { APPROVALS_SUB, isQueue, listPage, listPart, PATH, StateChips } from './approval-list.tsx';
import { faultOf, followUpOf } from './approval-outcome.ts';
import { PlanPart } from './approval-page.tsx';
import { APPROVED, ApprovalQueue, nextOf } from './approval-queue.tsx';
import { RequestCard } from './request-card.tsx';

export interface ApprovalDeps {
  readonly listApprovals: Pick<ListApprovals, 'counts' | 'execute' | 'queue'>;
  readonly getApproval: Pick<GetApproval, 'execute' | 'ofJob'>;
  readonly approvalPlans: Pick<ApprovalPlans, 'execute'>;
  readonly approveRequest: Pick<ApproveRequest, 'execute'>;
  readonly refuseRequest: Pick<RefuseRequest, 'execute'>;
  readonly listHostChanges: Pick<ListHostChanges, 'execute'>;
}

/** Where a message about a request leads: straight to the decision. Throws `approval_not_found`. */
async function requestOfJob(
  { getApproval }: ApprovalDeps,
  { visitor, params }: SignedInVisit,
): Promise<WebReply> {
  const id = idOf(params['id']);
  const found = id === null ? null : await getApproval.ofJob(visitor.actor, id);
  if (found === null) throw new DomainError('approval_not_found', 'This job needs no approval.');
  return redirect(`${PATH}/${found.id}`);
}

/** Requests of agents, and the reviewer's decision. */
export function approvalRoutes(deps: ApprovalDeps): readonly WebRoute[] {
  const decide =
    (work: (visit: SignedInVisit, id: number) => Promise<RedirectReply>) =>
    (visit: SignedInVisit): Promise<WebReply> => {
      const id = approvalId(visit.params['id']);
      return submit(
        visit.form,
        () => work(visit, id),
        (state) => onePage(deps, visit, id, state, state.problems.length > 0 ? 422 : 409),
      );
    };
  return [
    {
      method: 'GET',
      path: PATH,
      needs: 'viewer',
      handle: (visit) => (isQueue(visit) ? queuePage(deps, visit) : listPage(deps, visit)),
    },
    {
      method: 'GET',
      path: '/jobs/:id/request',
      needs: 'viewer',
      handle: (visit) => requestOfJob(deps, visit),
    },
    {
      method: 'GET',
      path: `/live${PATH}`,
      needs: 'viewer',
      byItself: true,
      handle: async (visit) =>
        part(isQueue(visit) ? await queuePart(deps, visit) : await listPart(deps, visit)),
    },
    ...bulkApprovalRoutes(deps),
    {
      method: 'GET',
      path: `${PATH}/:id`,
      needs: 'viewer',
      handle: (visit) => onePage(deps, visit, approvalId(visit.params['id']), NEW_FORM),
    },
    {
      method: 'GET',
      path: `/live${PATH}/:id`,
      needs: 'viewer',
      byItself: true,
      handle: async (visit) => {
        const { actor } = visit.visitor;
        const found = await deps.getApproval.execute(actor, approvalId(visit.params['id']));
        const since = await changesSince(deps, visit, found);
        return part(
          <PlanPart
            found={found}
            mayDecide={mayOperate(actor, found.approval.serverId ?? 'all servers')}
            now={visit.now}
            changesSince={since}
          />,
        );
      },
    },
    {
      method: 'POST',
      path: `${PATH}/:id/approve`,
      needs: 'operator',
      handle: decide(async ({ visitor, form }, id) => {
        const approved = await deps.approveRequest.execute(visitor.actor, id, {
          note: form.get('note') ?? '',
          // The dry run that the page showed: there may be a newer one.
          planId: idOf(form.get('plan_id') ?? undefined),
          withoutPlan: form.get('without_plan') === 'yes',
        });
        return goOn(deps, visitor.actor, approved);
      }),
    },
    {
      method: 'POST',
      path: `${PATH}/:id/refuse`,
      needs: 'operator',
      handle: decide(async ({ visitor, form }, id) => {
        const refused = await deps.refuseRequest.execute(visitor.actor, id, { note: form.get('note') ?? '' });
        return goOn(deps, visitor.actor, refused);
      }),
    },
    {
      method: 'POST',
      path: `${PATH}/:id/plan`,
      needs: 'operator',
      handle: decide(async ({ visitor }, id) => {
        return done(`${PATH}/${id}`, jobName(await deps.approvalPlans.execute(visitor.actor, id)));
      }),
    },
  ];
}

/** To the next request that waits; after the last one to what was approved, which the message links otherwise. */
async function goOn(
  { listApprovals }: ApprovalDeps,
  actor: Actor,
  decided: Approval,
): Promise<RedirectReply> {
  const { id, state } = decided;
  const approved = state === 'approved';
  const link = !approved ? { href: `${PATH}/${id}`, label: 'request' } : followUpOf(decided);
  const next = nextOf((await listApprovals.queue(actor)).items, decided);
  const fault = faultOf(decided);
  const verb =
    state === 'waiting'
      ? 'Approved, and needs another user'
      : fault === null
        ? approved
          ? 'Approved'
          : 'Declined'
        : 'Approved, but not done';
  const words = `${verb} · ${approvalTitle(decided)} on ${decided.subject}`;
  const to =
    next === null
      ? approved
        ? link.href
        : PATH
      : `${PATH}/${next}${approved && fault === null ? `?${APPROVED}=${id}` : ''}`;
  return { ...redirect(to), toast: { words, link } };
}

function approvalId(raw: string | undefined): number {
  const id = idOf(raw);
  if (id === null) throw approvalNotFound(Number.NaN);
  return id;
}

/** Changes that inventories found on the server after the dry run. */
async function changesSince(
  { listHostChanges }: ApprovalDeps,
  { visitor }: SignedInVisit,
  { plan }: ApprovalDetail,
): Promise<number | null> {
  const since = plan?.finishedAt ?? null;
  if (plan === null || since === null) return null;
  const query = { serverId: plan.serverId, since, limit: 1, offset: 0 };
  try {
    return (await listHostChanges.execute(visitor.actor, query)).total;
  } catch (error) {
    if (isDomainError(error, 'server_not_found')) return null;
    throw error;
  }
}

/** The oldest request and the queue. */
async function queuePage(deps: ApprovalDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, query } = visit;
  const queue = await deps.listApprovals.queue(visitor.actor);
  const first = queue.items[0]?.approval ?? null;
  const head = <StateChips query={query} counts={await deps.listApprovals.counts(visitor.actor)} />;
  if (first === null) {
    return page(
      'approvals',
      'Approvals',
      <>
        {head}
        <LiveList path={PATH} query={query}>
          <Empty icon="shield-check">No requests. Jobs and changes that need approval appear here.</Empty>
        </LiveList>
      </>,
    );
  }
  const found = await deps.getApproval.execute(visitor.actor, first.id);
  const body = (
    <>
      {head}
      <div class="main-and-side review queue-first">
        <RequestCard
          found={found}
          visit={visit}
          state={NEW_FORM}
          changesSince={await changesSince(deps, visit, found)}
          titled
        />
        {await queueBeside(deps, queue, first.id, visit)}
      </div>
    </>
  );
  return {
    ...page('approvals', 'Approvals', body),
    header: { sub: APPROVALS_SUB },
  };
}

async function queueBeside(
  { getApproval }: ApprovalDeps,
  queue: Page<QueuedApproval>,
  at: number | null,
  { visitor: { actor }, query, now }: SignedInVisit,
) {
  const id = idOf(query.get(APPROVED) ?? undefined);
  const approved = id === null ? null : await getApproval.execute(actor, id).catch(() => null);
  const mayDecide = mayOperate(actor, 'any server');
  return <ApprovalQueue {...{ queue, at, mayDecide, now }} approved={approved} />;
}

/** The queue alone, beside the request that the open page shows. */
async function queuePart(deps: ApprovalDeps, visit: SignedInVisit) {
  const queue = await deps.listApprovals.queue(visit.visitor.actor);
  return queueBeside(deps, queue, idOf(visit.query.get('at') ?? undefined), visit);
}

async function onePage(
  deps: ApprovalDeps,
  visit: SignedInVisit,
  id: number,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const { visitor, now } = visit;
  const found = await deps.getApproval.execute(visitor.actor, id);
  const queue = await deps.listApprovals.queue(visitor.actor);
  const { approval } = found;
  const since = await changesSince(deps, visit, found);
  const request = <RequestCard found={found} visit={visit} state={state} changesSince={since} />;
  const body =
    queue.total === 0 ? (
      request
    ) : (
      <div class="main-and-side review">
        {request}
        {await queueBeside(deps, queue, id, visit)}
      </div>
    );
  const sub =
    approval.state === 'waiting' ? (
      <>
        Starts only after approval; expires <Until approval={approval} now={now} />
      </>
    ) : (
      <Decision approval={approval} now={now} />
    );
  const header = { status: <ApprovalStatus state={approval.state} />, sub };
  return { ...page('approvals', `${approvalTitle(approval)}: ${approval.subject}`, body, status), header };
}
