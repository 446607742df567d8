import { GetServer } from '../../../application/fleet/get-server.ts';
import { ListServers } from '../../../application/fleet/list-servers.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import type { Server } from '../../../domain/fleet/server.ts';
import type { Session } from './session.ts';

const PAGE = 100;

/** A server by its id or, if that is not a number, by its name. Throws `server_not_found`. */
export async function findServer(session: Session, reference: string): Promise<Server> {
  const { useCases, actor } = session;
  if (/^[1-9]\d{0,15}$/.test(reference) && Number.isSafeInteger(Number(reference))) {
    return useCases.get(GetServer).execute(actor, Number(reference));
  }
  for (let offset = 0; ; offset += PAGE) {
    const page = await useCases.get(ListServers).execute(actor, { q: reference, limit: PAGE, offset });
    const found = page.items.find((server) => server.name === reference);
    if (found) return found;
    if (offset + PAGE >= page.total) break;
  }
  throw new DomainError(
    'server_not_found',
    `There is no server "${reference.slice(0, 60)}"; see them with: drover server list`,
  );
}
