import * as z from 'zod';
import { GetOwnApproval } from '../../../../application/jobs/list-approvals.ts';
import { APPROVAL } from '../examples.ts';
import { approvalId } from '../fields.ts';
import { operation } from '../operation.ts';
import { approvalSchema, approvalView } from '../views/approval-view.ts';

export const getApproval = operation({
  name: 'get_approval',
  scope: 'read',
  effect: 'reads',
  title: 'Show your request for approval',
  description:
    'Returns a request that this token made: waiting, approved, refused, expired or withdrawn, with the reviewer and their note. For a change, `change.outcome` says how it ended; for a job, call get_job. Only users can approve and decline requests. Requests of other tokens are 404.',
  input: z.strictObject({ approval_id: approvalId }),
  output: approvalSchema,
  group: 'Jobs',
  errors: ['approval_not_found'],
  examples: [{ title: 'A change that waits', input: { approval_id: 1 }, output: APPROVAL }],
  routes: [{ method: 'GET', path: '/approvals/{approval_id}', status: 200 }],
  async run(useCases, actor, input) {
    return approvalView(await useCases.get(GetOwnApproval).execute(actor, input.approval_id));
  },
});
