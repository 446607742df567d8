import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import {
  type HostChange,
  type HostState,
  STATE_KINDS,
  type StateKind,
} from '../../../../../domain/fleet/host-state.ts';
import { columns, hostWritten, int, named, oneOf, orNull, type Row } from './columns.ts';
import { fromJson } from './json.ts';

const CHANGES = columns({
  id: int,
  serverId: int,
  kind: oneOf<StateKind>(),
  name: hostWritten,
  before: named('value_before', orNull(hostWritten)),
  after: named('value_after', orNull(hostWritten)),
  since: int,
  at: int,
});

export type HostChangeRow = Row<typeof CHANGES> & { readonly server_name: string };
export const HOST_CHANGE_COLUMNS = CHANGES.names;
export const toHostChange = (row: HostChangeRow): HostChange => ({
  ...CHANGES.read(row),
  serverName: row.server_name,
});
export const hostChangeColumns = (change: Omit<HostChange, 'id' | 'serverName'>): object =>
  CHANGES.write(change);

const pack = promisify(gzip);
const unpack = promisify(gunzip);

const Facts = z
  .array(z.tuple([z.string(), z.string()]))
  .transform((facts) => new Map(facts))
  .nullable();
/** A kind that a later version adds is unknown here, one that an earlier version does not know was not read. */
const Stored = z.partialRecord(z.enum(STATE_KINDS), Facts);

export async function packState(state: HostState): Promise<string> {
  const facts = Object.entries(state).map(([kind, found]) => [kind, found && [...found]]);
  return (await pack(JSON.stringify(Object.fromEntries(facts)))).toString('base64');
}

export async function unpackState(packed: string): Promise<HostState> {
  const json = await unpack(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_STATE_BYTES });
  const stored = fromJson(Stored, json.toString('utf8'));
  return Object.fromEntries(STATE_KINDS.map((kind) => [kind, stored[kind] ?? null])) as unknown as HostState;
}

/** More than all facts together can have. */
const MAX_STATE_BYTES = 64 * 1024 * 1024;
