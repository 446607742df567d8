import { z } from 'zod';
import type { ActorKind } from '../../../../../domain/access/actor.ts';
import type { ChainedEntry, RawEntry } from '../../../../../domain/events/audit-chain.ts';
import type { AuditEntry, KeptEntry } from '../../../../../domain/events/audit-entry.ts';
import { type Column, columns, int, json, oneOf, orElse, orNull, type Row, text } from './columns.ts';

/** The length of its column: a longer name must not keep a change from being written. */
const MAX_LENGTH = 255;

/** Stores exactly the signed text: no lone surrogate, which the database would write differently. */
const kept: Column<string, string> = {
  ...text,
  write: (value) => Buffer.from(value.slice(0, MAX_LENGTH)).toString(),
};

const RAW = columns({
  id: int,
  at: int,
  actorKind: oneOf<ActorKind>(),
  actorId: orNull(int),
  actorName: kept,
  address: orNull(text),
  action: text,
  object: kept,
  outcome: text,
  detail: text,
});
const ENTRIES = columns({ ...RAW.shape, detail: json(z.record(z.string(), z.unknown())) });
const SIGNED = columns({ ...RAW.shape, signature: orNull(text) });
const CHAINED = columns({
  ...SIGNED.shape,
  seq: int,
  // They may have been removed.
  previous: orElse(text, ''),
  mac: orElse(text, ''),
});

export type AuditRow = Row<typeof ENTRIES>;
export const AUDIT_COLUMNS = ENTRIES.names;
export const toEntry: (row: AuditRow) => KeptEntry = ENTRIES.read;
export const auditColumns = (entry: AuditEntry) => ENTRIES.write(entry);

/** The signed text of a stored entry. */
export type SignedRow = Row<typeof SIGNED>;
export const SIGNED_COLUMNS = SIGNED.names;
export const toRaw: (row: SignedRow) => RawEntry = SIGNED.read;

export type ChainedRow = Row<typeof CHAINED>;
export const CHAINED_COLUMNS = CHAINED.names;
export const toChained: (row: ChainedRow) => ChainedEntry = CHAINED.read;

/** The server that an entry is about, directly or through something on it. */
export function serverOf({ object, detail }: AuditEntry): number | null {
  const named = /^server:(\d{1,15})$/.exec(object)?.[1];
  if (named !== undefined) return Number(named);
  const serverId = detail['serverId'];
  return typeof serverId === 'number' && Number.isSafeInteger(serverId) && serverId > 0 ? serverId : null;
}
