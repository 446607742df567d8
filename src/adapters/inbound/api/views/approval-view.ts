import * as z from 'zod';
import { toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { APPROVAL_STATES, type Approval, approversOf } from '../../../../domain/jobs/approval.ts';
import { JOB_TYPES } from '../../../../domain/jobs/job-types.ts';
import { CHANGE_KINDS, CHANGE_OUTCOMES } from '../../../../domain/jobs/requested-change.ts';
import { id, text, textOrNull, time, timeOrNull } from './values.ts';

export const approvalSchema = z.strictObject({
  id,
  state: z.enum(APPROVAL_STATES),
  job_id: id.nullable(),
  batch_id: id.nullable(),
  server_id: id.nullable(),
  job_type: z.enum(JOB_TYPES).nullable(),
  change: z
    .strictObject({
      kind: z.enum(CHANGE_KINDS),
      summary: text,
      outcome: z.enum(CHANGE_OUTCOMES).nullable().describe('Null before approval'),
      outcome_detail: textOrNull,
    })
    .nullable()
    .describe('For everything but jobs and batches'),
  subject: text.describe("The server's name, or the number of hosts"),
  requested_by: text,
  created_at: time,
  expires_at: time,
  decided_at: timeOrNull,
  decided_by: textOrNull,
  approved_by: z.array(text).describe('Users who approved it; it may need several'),
  note: textOrNull,
  plan_job_id: id.nullable().describe('The dry run that the reviewer sees'),
});

export const approvalView = (approval: Approval): z.output<typeof approvalSchema> => ({
  id: approval.id,
  state: approval.state,
  job_id: approval.jobId,
  batch_id: approval.batchId,
  server_id: approval.serverId,
  job_type: approval.jobType,
  change:
    approval.change === null
      ? null
      : {
          kind: approval.change.kind,
          summary: approval.change.summary,
          outcome: approval.change.outcome,
          outcome_detail: approval.change.outcomeDetail,
        },
  subject: approval.subject,
  requested_by: approval.requester.label,
  created_at: toIso(approval.createdAt),
  expires_at: toIso(approval.expiresAt),
  decided_at: toIsoOrNull(approval.decidedAt),
  decided_by: approval.decidedBy,
  approved_by: [...approversOf(approval)],
  note: approval.note,
  plan_job_id: approval.planJobId,
});
