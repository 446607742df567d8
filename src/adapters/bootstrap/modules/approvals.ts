import type { Container } from 'inversify';
import { ApprovalPlans } from '../../../application/jobs/approval-plans.ts';
import { ApproveRequest, RefuseRequest } from '../../../application/jobs/decide-approval.ts';
import { ExpireApprovals } from '../../../application/jobs/expire-approvals.ts';
import { GetApproval, ListApprovals } from '../../../application/jobs/list-approvals.ts';
import { RequesterActors } from '../../../application/jobs/requester-actors.ts';
import { bindClass } from '../binding.ts';
import { PORTS, SHARED, USE_CASES } from '../tokens.ts';

const { approvals, jobs, batches, servers, sources, tokens, users, clock } = PORTS;
const { wakeup, refusals, requesters, runners, gate } = SHARED;

/** Jobs and batches that wait for a person. */
export function bindApprovals(container: Container): void {
  bindClass(container, requesters, RequesterActors, { tokens, users, clock });
  bindClass(container, USE_CASES.approvalPlans, ApprovalPlans, { approvals, jobs, clock, wakeup });
  bindClass(container, USE_CASES.approveRequest, ApproveRequest, {
    approvals,
    jobs,
    servers,
    sources,
    runners,
    gate,
    requesters,
    clock,
    wakeup,
    refusals,
  });
  bindClass(container, USE_CASES.refuseRequest, RefuseRequest, { approvals, clock, refusals });
  bindClass(container, USE_CASES.expireApprovals, ExpireApprovals, { approvals, clock });
  bindClass(container, USE_CASES.listApprovals, ListApprovals, { approvals });
  bindClass(container, USE_CASES.getApproval, GetApproval, { approvals, jobs, batches });
}
