import * as z from 'zod';
import { toIso } from '../../../../domain/base/instant.ts';
import type { KeptEntry } from '../../../../domain/events/audit-entry.ts';
import { id, text, textOrNull, time } from './values.ts';

const auditSchema = z.strictObject({
  id,
  at: time,
  actor_kind: text,
  actor_id: id.nullable(),
  actor_name: text,
  address: textOrNull,
  action: text,
  object: text,
  outcome: text,
  detail: z.record(z.string(), z.unknown()),
});

export type AuditView = z.output<typeof auditSchema>;

export const auditView = (entry: KeptEntry): AuditView => ({
  id: entry.id,
  at: toIso(entry.at),
  actor_kind: entry.actorKind,
  actor_id: entry.actorId,
  actor_name: entry.actorName,
  address: entry.address,
  action: entry.action,
  object: entry.object,
  outcome: entry.outcome,
  detail: { ...entry.detail },
});
