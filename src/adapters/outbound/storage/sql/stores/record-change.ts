import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import { keyInUse } from '../../../../../domain/base/request-key.ts';
import type { DomainEvent } from '../../../../../domain/events/event.ts';
import { auditRow } from './audit-signing.ts';
import { keepReply } from './kept-reply.ts';

/** Writes what a change leaves behind in the caller's transaction: all of it is kept with the change, or nothing. */
export async function recordChange(trx: Knex, record: ChangeRecord): Promise<void> {
  if (record.audit?.length)
    await trx('audit_entries').insert(record.audit.map((entry) => auditRow(trx, entry)));
  if (record.events?.length) await trx('outbox_events').insert(record.events.map(eventRow));
  if (record.reply && !(await keepReply(trx, record.reply))) throw keyInUse();
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
