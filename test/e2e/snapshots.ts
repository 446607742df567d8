import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { snapshotSchema } from '../../src/adapters/inbound/api/views/snapshot-view.ts';
import type { RestClient } from '../support/rest-client.ts';
import type { Service } from '../support/service.ts';

export type Snapshot = z.output<typeof snapshotSchema>;

const Snapshots = z.object({ snapshots: z.array(snapshotSchema), total: z.int() });

const PAGE = 100;

/** All of a server's snapshots as a script sees them, page by page, newest first. */
export async function listed(rest: RestClient, serverId: number): Promise<readonly Snapshot[]> {
  const all: Snapshot[] = [];
  for (;;) {
    const path = `/api/v1/servers/${serverId}/snapshots?limit=${PAGE}&offset=${all.length}`;
    const { snapshots, total } = Snapshots.parse((await rest.get(path)).body);
    all.push(...snapshots);
    if (snapshots.length === 0 || all.length >= total) return all;
  }
}

/** The same as the command line shows them. */
export async function shown(service: Service, serverId: number): Promise<readonly Snapshot[]> {
  return (await service.ask(Snapshots, ['snapshot', 'list', String(serverId)])).snapshots;
}

/** Names of snapshots of all of a server's sources on disk, newest first. */
export async function onDisk(service: Service, serverId: number): Promise<readonly string[]> {
  const store = join(service.dataDir, 'backups', String(serverId));
  const sources = await readdir(store).catch(() => []);
  const names = sources.map((source) => readdir(join(store, source, 'snapshots')).catch(() => []));
  return (await Promise.all(names)).flat().sort().toReversed();
}

/** The files of a snapshot. */
export function filesOf(service: Service, { server_id, source_id, name }: Snapshot): string {
  const place = [server_id, source_id, 'snapshots', name, 'files'].map(String);
  return join(service.dataDir, 'backups', ...place);
}
