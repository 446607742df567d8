import type { ApprovalPlans } from '../../src/application/jobs/approval-plans.ts';
import { ApproveRequest, RefuseRequest } from '../../src/application/jobs/decide-approval.ts';
import { ExpireApprovals } from '../../src/application/jobs/expire-approvals.ts';
import { GetApproval, ListApprovals } from '../../src/application/jobs/list-approvals.ts';
import type { BatchStore } from '../../src/application/ports/automation/batch-store.ts';
import type { SecretBox } from '../../src/application/ports/base/secret-box.ts';

type Parts = ConstructorParameters<typeof ApproveRequest>[0] & {
  readonly batches: BatchStore;
  readonly box: SecretBox;
  readonly plans: ApprovalPlans;
};

/** Everything about requests for approval, over the same stores. */
export const approvalsOf = (parts: Parts) => ({
  approvalPlans: parts.plans,
  approveRequest: new ApproveRequest(parts),
  refuseRequest: new RefuseRequest(parts),
  expireApprovals: new ExpireApprovals(parts),
  listApprovals: new ListApprovals(parts),
  getApproval: new GetApproval(parts),
});
