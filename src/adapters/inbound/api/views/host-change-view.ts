import * as z from 'zod';
import { toIso } from '../../../../domain/base/instant.ts';
import { CHANGE_KINDS, type HostChange } from '../../../../domain/fleet/host-state.ts';
import { id, text, textOrNull, time } from './values.ts';

export const hostChangeKind = z.enum(CHANGE_KINDS);

export const hostChangeSchema = z.strictObject({
  id,
  server_id: id,
  server_name: text,
  kind: hostChangeKind,
  name: text.describe('As the host names it'),
  before: textOrNull.describe('null: it was not there'),
  after: textOrNull.describe('null: it is gone'),
  since: time.describe('The reading before the change'),
  at: time.describe('The reading that found it'),
  snapshot_id: id
    .nullable()
    .describe('Of a file: the snapshot that found it, compared with the one before it'),
});

export const hostChangeView = (change: HostChange): z.output<typeof hostChangeSchema> => ({
  id: change.id,
  server_id: change.serverId,
  server_name: change.serverName,
  kind: change.kind,
  name: change.name,
  before: change.before,
  after: change.after,
  since: toIso(change.since),
  at: toIso(change.at),
  snapshot_id: change.snapshotId,
});
