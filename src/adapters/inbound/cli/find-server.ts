import { GetServer } from '../../../application/fleet/get-server.ts';
import { ListServers } from '../../../application/fleet/list-servers.ts';
import { DomainError, isDomainError } from '../../../domain/base/errors.ts';
import { type HostSelector, reportedIds, selectorText } from '../../../domain/fleet/host-selector.ts';
import type { Server } from '../../../domain/fleet/server.ts';
import { takesId } from './arguments.ts';
import type { Session } from './session.ts';

/**
 * A server by its id or, if that is not a number, by its name. Throws `server_not_found`, and a usage error if the
 * number is also another server's name: nothing may happen to the wrong one.
 */
export async function findServer(session: Session, reference: string): Promise<Server> {
  const { useCases, actor } = session;
  const named = await useCases
    .get(GetServer)
    .named(actor, reference)
    .catch((error: unknown) => {
      if (isDomainError(error, 'server_not_found')) return null;
      throw error;
    });
  if (takesId(reference, 'server', named)) return useCases.get(GetServer).execute(actor, Number(reference));
  if (named) return named;
  throw new DomainError(
    'server_not_found',
    `There is no server "${reference.slice(0, 60)}"; see them with: drover server list`,
  );
}

/** The ids of servers, each by its id or name. Throws as `findServer` does. */
export async function serverIds(session: Session, references: readonly string[]): Promise<readonly number[]> {
  const ids: number[] = [];
  for (const reference of references) ids.push((await findServer(session, reference)).id);
  return ids;
}

/** How each of these selectors reads. */
export type SelectorWords = (selector: HostSelector) => string;

/** With the names of the servers, as people know them. */
export async function selectorWords(
  { useCases, actor }: Session,
  selectors: readonly HostSelector[],
): Promise<SelectorWords> {
  const names = await useCases.get(ListServers).names(actor, selectors.flatMap(reportedIds));
  return (selector) => selectorText(selector, names);
}
