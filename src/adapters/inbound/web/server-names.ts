import type { GetServer } from '../../../application/fleet/get-server.ts';
import type { ListServers } from '../../../application/fleet/list-servers.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { InvalidInput, isDomainError } from '../../../domain/base/errors.ts';
import {
  type HostSelector,
  MAX_HOSTS,
  type RawSelector,
  reportedIds,
} from '../../../domain/fleet/host-selector.ts';
import { SUPPORT_STATES } from '../../../domain/fleet/os-support.ts';
import { SERVER_NEEDS } from '../../../domain/fleet/server-list.ts';
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
  if (by !== 'ids') throw faultAt('', 'Choose at least one server.');
  const ids: number[] = [];
  const names = listOf(form, 'servers');
  if (names.length > MAX_HOSTS) throw faultAt('/ids', `Enter at most ${MAX_HOSTS} servers.`);
  for (const named of names) {
    const id = await serverNamed(servers, actor, named);
    if (id === null) throw faultAt('/ids', `There is no server named ${named.slice(0, 60)}.`);
    ids.push(id);
  }
  return { ids };
}

const faultAt = (path: string, message: string): InvalidInput =>
  new InvalidInput([{ path: `/selector${path}`, message }]);

/** The names of the servers that a list or page writes out of these selectors. */
export const namesIn = (
  servers: Pick<ListServers, 'names'>,
  actor: Actor,
  selectors: readonly HostSelector[],
): Promise<ReadonlyMap<number, string>> => servers.names(actor, selectors.flatMap(reportedIds));

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

/** A search for servers, from an address or a form; nonsense is left out. */
export const serverSearchOf = (query: URLSearchParams) => {
  const need = SERVER_NEEDS.find((each) => each === query.get('needs'));
  const support = SUPPORT_STATES.find((each) => each === query.get('support'));
  return {
    q: (query.get('q') ?? '').slice(0, 200),
    tag: (query.get('tag') ?? '').slice(0, 200),
    ...(need ? { need } : {}),
    ...(support ? { support } : {}),
  };
};

/** The ids of the servers that a list's selection means: the boxes that are ticked, or all that its filter finds. */
export async function selectedServers(
  servers: Servers,
  actor: Actor,
  query: URLSearchParams,
): Promise<readonly number[]> {
  if (query.get('all') !== 'yes') return [...new Set(query.getAll('ids').flatMap((raw) => idOf(raw) ?? []))];
  const ids: number[] = [];
  for (let offset = 0; offset < MAX_HOSTS; offset += PAGE) {
    const { items } = await servers.execute(actor, { ...serverSearchOf(query), limit: PAGE, offset });
    ids.push(...items.map(({ id }) => id));
    if (items.length < PAGE) break;
  }
  return ids;
}

/** A selection of a list as the fields of a form; null: nothing is selected. */
export async function selectionFields(
  deps: { readonly listServers: Servers; readonly getServer: Pick<GetServer, 'execute'> },
  actor: Actor,
  query: URLSearchParams,
): Promise<Readonly<Record<string, string>> | null> {
  const { q, tag, need } = serverSearchOf(query);
  if (query.get('all') === 'yes' && q === '' && need === undefined) {
    return selectorFields(named, tag === '' ? { by: 'all' } : { by: 'tags', tags: [tag] });
  }
  const ids = await selectedServers(deps.listServers, actor, query);
  return ids.length === 0 ? null : selectorFields(named, { by: 'ids', ids });

  function named(id: number) {
    return deps.getServer.execute(actor, id);
  }
}
