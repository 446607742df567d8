import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { staleBefore } from '../../../../../domain/fleet/fleet-conditions.ts';
import {
  SERVER_NEEDS,
  SERVER_ORDERS,
  type ServerNeed,
  type ServerOrder,
} from '../../../../../domain/fleet/server-list.ts';
import { offsetOf } from '../../components/paging.tsx';
import { page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { mayOperate } from './remedy.tsx';
import { ServerSearch } from './server-search.tsx';
import { ServerTable } from './server-table.tsx';

export interface ServerListDeps {
  readonly listServers: Pick<ListServers, 'execute' | 'tags'>;
  readonly settings: { readonly backupStaleHours: number };
}

const PATH = '/servers';
const ROWS = 100;
/** Tags to choose from: the most frequent. A search finds the others, too. */
const MAX_TAGS = 50;

const needOf = (raw: string | null): ServerNeed | undefined => SERVER_NEEDS.find((need) => need === raw);

/** `updates`, or `-updates` for the other way round; nonsense is by name. */
function orderOf(raw: string | null): ServerOrder {
  const by = SERVER_ORDERS.find((each) => each === raw?.replace(/^-/, '')) ?? 'name';
  return { by, descending: raw === `-${by}` };
}

const sortText = ({ by, descending }: ServerOrder): string => `${descending ? '-' : ''}${by}`;

/** The fleet as a list. */
export const serverListRoutes = (deps: ServerListDeps): readonly WebRoute[] => [
  { method: 'GET', path: PATH, needs: 'viewer', handle: (visit) => listPage(deps, visit) },
];

async function listPage(deps: ServerListDeps, { visitor, query, now }: SignedInVisit): Promise<WebReply> {
  const { actor } = visitor;
  const q = (query.get('q') ?? '').slice(0, 200);
  const tag = (query.get('tag') ?? '').slice(0, 200);
  const need = needOf(query.get('needs'));
  const order = orderOf(query.get('sort'));
  const [found, tags] = await Promise.all([
    deps.listServers.execute(actor, {
      q,
      tag,
      ...(need ? { need } : {}),
      order,
      limit: ROWS,
      offset: offsetOf(query),
    }),
    deps.listServers.tags(actor, MAX_TAGS),
  ]);
  const mayAct = mayOperate(actor);
  const onlooker = { now, mayAct, staleBefore: staleBefore(now, deps.settings.backupStaleHours) };
  return page(
    'servers',
    'Servers',
    <>
      {mayAct ? (
        <p class="actions above">
          <a class="button" href="/servers/new">
            Add a server
          </a>
        </p>
      ) : null}
      <ServerSearch q={q} tag={tag} need={need} tags={tags} sort={query.get('sort')} />
      <ServerTable
        servers={found.items}
        onlooker={onlooker}
        sorting={{ order, to: (other) => sorted(query, other) }}
        paging={{ found, path: PATH, query }}
        empty={<Nothing filtered={q !== '' || tag !== '' || need !== undefined} mayAct={mayAct} />}
      />
    </>,
  );
}

/** The same filter in another order, from the first page. */
function sorted(query: URLSearchParams, order: ServerOrder): string {
  const next = new URLSearchParams(query);
  next.delete('offset');
  next.set('sort', sortText(order));
  return `${PATH}?${next}`;
}

function Nothing({ filtered, mayAct }: { readonly filtered: boolean; readonly mayAct: boolean }) {
  if (filtered) {
    return (
      <>
        No server matches. <a href={PATH}>Show all</a>
      </>
    );
  }
  return (
    <>
      There are no servers yet.{' '}
      {mayAct
        ? 'Add the first one: you give its address and account, and Drover guides you to its first backup.'
        : 'An operator or administrator adds the first one.'}
    </>
  );
}
