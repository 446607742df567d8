import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Trail } from '../../application/ports/trail.ts';
import type { AuditEntry } from '../../domain/audit-entry.ts';
import type { DomainEvent } from '../../domain/event.ts';

/** Writes audit entries and events in the caller's transaction: both are kept with the change, or neither. */
export async function writeTrail(trx: Knex, trail: Trail): Promise<void> {
  if (trail.audit?.length) await trx('audit_entries').insert(trail.audit.map(auditRow));
  if (trail.events?.length) await trx('outbox_events').insert(trail.events.map(eventRow));
}

/** The length of its column: a longer name must not keep a change from being written. */
const LONGEST = 255;

const auditRow = (entry: AuditEntry): object => ({
  at: entry.at,
  actor_kind: entry.actorKind,
  actor_id: entry.actorId,
  actor_name: entry.actorName.slice(0, LONGEST),
  address: entry.address,
  action: entry.action,
  object: entry.object.slice(0, LONGEST),
  outcome: entry.outcome,
  detail: JSON.stringify(entry.detail),
});

const eventRow = (event: DomainEvent): object => ({
  uid: randomUUID(),
  type: event.type,
  severity: event.severity,
  title: event.title,
  message: event.message,
  server_id: event.serverId,
  job_id: event.jobId,
  at: event.at,
});
