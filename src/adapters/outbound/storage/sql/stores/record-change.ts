import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { ReplyToKeep } from '../../../../../domain/base/kept-reply.ts';
import { keyInUse } from '../../../../../domain/base/request-key.ts';
import { type Mac, signatureOf } from '../../../../../domain/events/audit-chain.ts';
import type { AuditEntry } from '../../../../../domain/events/audit-entry.ts';
import type { DomainEvent } from '../../../../../domain/events/event.ts';
import type { Database } from '../database.ts';
import { auditColumns, serverOf, toRaw } from '../tables/audit-row.ts';

/** Writes a change's records in the caller's transaction: with the change, or not at all. */
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
  problem: event.problem ?? null,
  at: event.at,
});

/** Stores the reply to a request with a key. False if another attempt at the request took over, or was faster. */
export async function keepReply(knex: Knex, { id, owner, reply }: ReplyToKeep): Promise<boolean> {
  const { status, body } = reply;
  const columns = { status, body, owner: null, lease_until: null };
  return (await knex('idempotent_requests').where({ id, owner }).update(columns)) > 0;
}

/** By the configuration of the client, which a transaction's client has, too. */
const signers = new WeakMap<object, Mac>();

/** From now on whatever is written into the audit log through this database is signed. */
export function signAudit({ knex }: Database, mac: Mac): void {
  signers.set(knex.client.config, mac);
}

/** The row of a new entry. */
export function auditRow(knex: Knex, entry: AuditEntry): object {
  const columns = auditColumns(entry);
  const mac = signers.get(knex.client.config);
  // Unsigned entries are for older databases, which lack the columns.
  if (!mac) return columns;
  const signature = signatureOf(mac, toRaw({ ...columns, id: 0, signature: null }));
  return { ...columns, server_id: serverOf(entry), signature };
}
