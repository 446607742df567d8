import type { Knex } from 'knex';
import { type Mac, signatureOf } from '../../../../../domain/events/audit-chain.ts';
import type { AuditEntry } from '../../../../../domain/events/audit-entry.ts';
import type { Database } from '../database.ts';
import { auditColumns, serverOf, toRaw } from '../tables/audit-row.ts';

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
  // Unsigned entries are for databases of before, which have no more columns.
  if (!mac) return columns;
  const signature = signatureOf(mac, toRaw({ ...columns, id: 0, signature: null }));
  return { ...columns, server_id: serverOf(entry), signature };
}
