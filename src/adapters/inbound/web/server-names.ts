import type { GetServer } from '../../../application/fleet/get-server.ts';
import type { ListServers } from '../../../application/fleet/list-servers.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { InvalidInput, isDomainError } from '../../../domain/base/errors.ts';
import { type HostSelector, MAX_HOSTS, type RawSelector } from '../../../domain/fleet/host-selector.ts';
import { type FormState, NEW_FORM } from './components/form.tsx';
import { idOf, listOf } from './form-state.ts';

type Servers = Pick<ListServers, 'execute'>;

const PAGE = 100;
/** Of a longer list only the ids are shown. */
const MAX_NAMED = 50;

/** A server's id by its number or name; `null`: not found. Whether a number's server exists is checked at its use. */
export async function serverNamed(servers: Servers, actor: Actor, named: string): Promise<number | null> {
  if (/^[1-9]\d{0,14}$/.test(named)) return Number(named);
  for (let offset = 0; ; offset += PAGE) {
    const found = await servers.execute(actor, { q: named, limit: PAGE, offset });
    const server = found.items.find(({ name }) => name === named);
    if (server !== undefined) return server.id;
    if (offset + PAGE >= found.total) return null;
  }
}

/**
 * A form's server selection, from its fields `selector`, `tags` and `servers`. Throws `InvalidInput` for an unknown
 * name.
 */
export async function selectorOf(
  servers: Servers,
  actor: Actor,
  form: URLSearchParams,
): Promise<RawSelector> {
  const by = form.get('selector');
  if (by === 'all') return { all: true };
  if (by === 'tags') return { tags: listOf(form, 'tags') };
  if (by !== 'ids') throw faultAt('', 'Say which servers are meant.');
  const ids: number[] = [];
  const names = listOf(form, 'servers');
  if (names.length > MAX_HOSTS) throw faultAt('/ids', `Name at most ${MAX_HOSTS} servers.`);
  for (const named of names) {
    const id = await serverNamed(servers, actor, named);
    if (id === null) throw faultAt('/ids', `There is no server named ${named.slice(0, 60)}.`);
    ids.push(id);
  }
  return { ids };
}

const faultAt = (path: string, message: string): InvalidInput =>
  new InvalidInput([{ path: `/selector${path}`, message }]);

/** A selector as its form's fields. */
export async function selectorFields(
  getServer: (id: number) => Promise<{ readonly name: string }>,
  selector: HostSelector,
): Promise<Readonly<Record<string, string>>> {
  if (selector.by === 'all') return { selector: 'all' };
  if (selector.by === 'tags') return { selector: 'tags', tags: selector.tags.join(', ') };
  const named = selector.ids.slice(0, MAX_NAMED).map((id) =>
    getServer(id).then(
      ({ name }) => name,
      // A removed server keeps its id in the selector.
      () => String(id),
    ),
  );
  const rest = selector.ids.slice(MAX_NAMED).map(String);
  return { selector: 'ids', servers: [...(await Promise.all(named)), ...rest].join(', ') };
}

/** A new form that means the server of the query, as a server's page leads to it; one that does not exist is left out. */
export async function formFor(
  getServer: Pick<GetServer, 'execute'>,
  actor: Actor,
  query: URLSearchParams,
): Promise<FormState> {
  const id = idOf(query.get('server') ?? undefined);
  if (id === null) return NEW_FORM;
  try {
    const { name } = await getServer.execute(actor, id);
    return { ...NEW_FORM, typed: new URLSearchParams({ selector: 'ids', servers: name }) };
  } catch (error) {
    if (isDomainError(error, 'server_not_found')) return NEW_FORM;
    throw error;
  }
}
