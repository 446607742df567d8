import { z } from 'zod';
import type { ActorKind } from '../../../../../domain/access/actor.ts';
import type { ChainedEntry, RawEntry } from '../../../../../domain/events/audit-chain.ts';
import type { AuditEntry, KeptEntry } from '../../../../../domain/events/audit-entry.ts';
import { fromJson } from './json.ts';

export interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actor_kind: ActorKind;
  readonly actor_id: number | null;
  readonly actor_name: string;
  readonly address: string | null;
  readonly action: string;
  readonly object: string;
  readonly outcome: string;
  readonly detail: string;
}

export interface ChainedRow extends AuditRow {
  readonly signature: string | null;
  readonly seq: number;
  readonly previous: string;
  readonly mac: string;
}

export const AUDIT_COLUMNS = [
  'id',
  'at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'address',
  'action',
  'object',
  'outcome',
  'detail',
] as const satisfies readonly (keyof AuditRow)[];

export const CHAINED_COLUMNS = [...AUDIT_COLUMNS, 'signature', 'seq', 'previous', 'mac'] as const;

const Detail = z.record(z.string(), z.unknown());

export const toEntry = (row: AuditRow): KeptEntry => ({
  id: row.id,
  at: row.at,
  actorKind: row.actor_kind,
  actorId: row.actor_id,
  actorName: row.actor_name,
  address: row.address,
  action: row.action,
  object: row.object,
  outcome: row.outcome,
  detail: fromJson(Detail, row.detail),
});

export const toRaw = (row: AuditRow & { readonly signature: string | null }): RawEntry => ({
  id: row.id,
  at: row.at,
  actorKind: row.actor_kind,
  actorId: row.actor_id,
  actorName: row.actor_name,
  address: row.address,
  action: row.action,
  object: row.object,
  outcome: row.outcome,
  detail: row.detail,
  signature: row.signature,
});

export const toChained = (row: ChainedRow): ChainedEntry => ({
  ...toRaw(row),
  seq: row.seq,
  // Somebody may have taken them out.
  previous: row.previous ?? '',
  mac: row.mac ?? '',
});

/** The length of its column: a longer name must not keep a change from being written. */
const LONGEST = 255;

/** What is kept is just what is signed: no half of a character may be left that the database writes otherwise. */
const kept = (text: string): string => Buffer.from(text.slice(0, LONGEST)).toString();

export const auditColumns = (entry: AuditEntry): Omit<AuditRow, 'id'> => ({
  at: entry.at,
  actor_kind: entry.actorKind,
  actor_id: entry.actorId,
  actor_name: kept(entry.actorName),
  address: entry.address,
  action: entry.action,
  object: kept(entry.object),
  outcome: entry.outcome,
  detail: JSON.stringify(entry.detail),
});

/** The server that an entry is about, itself or by what is on it. */
export function serverOf({ object, detail }: AuditEntry): number | null {
  const named = /^server:(\d{1,15})$/.exec(object)?.[1];
  if (named !== undefined) return Number(named);
  const told = detail['serverId'];
  return typeof told === 'number' && Number.isSafeInteger(told) && told > 0 ? told : null;
}
