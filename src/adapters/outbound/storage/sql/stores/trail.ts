import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Trail } from '../../../../../application/ports/events/trail.ts';
import { keyInUse } from '../../../../../domain/base/request-key.ts';
import type { DomainEvent } from '../../../../../domain/events/event.ts';
import { auditRow } from './audit-signing.ts';
import { keepReply } from './kept-reply.ts';

/** Writes what a change leaves behind in the caller's transaction: all of it is kept with the change, or nothing. */
export async function writeTrail(trx: Knex, trail: Trail): Promise<void> {
  if (trail.audit?.length)
    await trx('audit_entries').insert(trail.audit.map((entry) => auditRow(trx, entry)));
  if (trail.events?.length) await trx('outbox_events').insert(trail.events.map(eventRow));
  if (trail.reply && !(await keepReply(trx, trail.reply))) throw keyInUse();
}

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
