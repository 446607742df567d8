import type { ManageDumps } from '../../../../../application/backups/manage-dumps.ts';
import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
import type { GetInventory } from '../../../../../application/fleet/get-inventory.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import { type BackupSource, sourceNotFound } from '../../../../../domain/backups/backup-source.ts';
import { type Dump, dumpNotFound } from '../../../../../domain/backups/dump.ts';
import { requireControl } from '../../../../../domain/fleet/own-machine.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { SignedInVisit } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import type { SourceCheckDeps } from './source-check.tsx';

export interface SourceDumpDeps extends SourceCheckDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly getInventory: Pick<GetInventory, 'execute'>;
  readonly manageSources: Pick<ManageSources, 'list'>;
  readonly manageDumps: Pick<ManageDumps, 'add' | 'edit' | 'list' | 'remove'>;
}

/** The source that an address names. */
export interface Place {
  readonly server: Server;
  readonly source: BackupSource;
}

export const dumpsPath = (server: Pick<Server, 'id'>, source: Pick<BackupSource, 'name'>): string =>
  `/servers/${server.id}/sources/${source.name}/dumps`;

export async function placeOf(
  { getServer, manageSources }: SourceDumpDeps,
  { visitor: { actor }, params }: SignedInVisit,
): Promise<Place> {
  const server = await getServer.execute(actor, serverId(params));
  const name = params['source'] ?? '';
  const source = (await manageSources.list(actor, server.id)).find((each) => each.name === name);
  if (!source) throw sourceNotFound(name);
  return { server, source };
}

/** For users who may change it. */
export async function dumpOf(
  deps: SourceDumpDeps,
  visit: SignedInVisit,
): Promise<Place & { readonly dump: Dump }> {
  const { visitor, params } = visit;
  const { server, source } = await placeOf(deps, visit);
  requireControl(visitor.actor, server, 'source.edit');
  const name = params['dump'] ?? '';
  const dumps = await deps.manageDumps.list(visitor.actor, server.id, source.name);
  const dump = dumps.find((each) => each.name === name);
  if (!dump) throw dumpNotFound(name);
  return { server, source, dump };
}
