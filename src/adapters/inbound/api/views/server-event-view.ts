import * as z from 'zod';
import type { ServerEvent } from '../../../../application/fleet/get-server.ts';
import { toIso } from '../../../../domain/base/instant.ts';
import { APPROVAL_STATES, type Approval } from '../../../../domain/jobs/approval.ts';
import { CHANGE_OUTCOMES } from '../../../../domain/jobs/requested-change.ts';
import { needySchema } from './server-view.ts';
import { id, text, textOrNull, time, timeOrNull } from './values.ts';

const serverEventSchema = z.strictObject({
  at: time,
  by: text.describe('User or token'),
  action: text,
  object: text,
  what: text.optional().describe('Job type, feature flags, name or path'),
});

const ownRequestSchema = z.strictObject({
  approval_id: id,
  state: z.enum(APPROVAL_STATES),
  what: text.describe('Job type or kind of change, and its summary'),
  job_id: id.nullable(),
  created_at: time,
  expires_at: timeOrNull.describe('While it waits'),
  decided_by: textOrNull,
  note: textOrNull,
  outcome: z.enum(CHANGE_OUTCOMES).nullable().describe('Of an approved change'),
  outcome_detail: textOrNull,
});

/** A server with its latest changes, if they were asked for. */
export const serverDetailSchema = z.strictObject({
  ...needySchema.shape,
  changes: z.array(serverEventSchema).optional().describe('Latest first'),
  requests: z
    .array(ownRequestSchema)
    .optional()
    .describe("With changes: as many of this token's requests for approval, latest first"),
});

export const ownRequestView = (approval: Approval): z.output<typeof ownRequestSchema> => {
  const { jobType, change } = approval;
  return {
    approval_id: approval.id,
    state: approval.state,
    what: [jobType, change?.kind, change?.summary].filter(Boolean).join(' '),
    job_id: approval.jobId,
    created_at: toIso(approval.createdAt),
    expires_at: approval.state === 'waiting' ? toIso(approval.expiresAt) : null,
    decided_by: approval.decidedBy,
    note: approval.note,
    outcome: change?.outcome ?? null,
    outcome_detail: change?.outcomeDetail ?? null,
  };
};

/** Parts of an entry that say what was changed; the rest of its detail is for administrators. */
const ABOUT = ['jobType', 'name', 'path', 'to'];

export function serverEventView(event: ServerEvent): z.output<typeof serverEventSchema> {
  const { features, changed } = event.detail as {
    features?: Readonly<Record<string, boolean>>;
    changed?: readonly string[];
  };
  const flags = Object.entries(features ?? {})
    // Older entries have all flags only.
    .filter(([name]) => changed?.includes(name) ?? true)
    .map(([name, on]) => `${name} ${on ? 'on' : 'off'}`);
  const named = ABOUT.flatMap((name) => {
    const value = event.detail[name];
    return typeof value === 'string' ? [value] : [];
  });
  const what = [...flags, ...named].join(', ');
  return {
    at: toIso(event.at),
    by: `${event.actorKind}:${event.actorName}`,
    action: event.action,
    object: event.object,
    ...(what === '' ? {} : { what }),
  };
}
