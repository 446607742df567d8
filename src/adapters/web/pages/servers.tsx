import type { GetInventory } from '../../../application/get-inventory.ts';
import type { GetServer } from '../../../application/get-server.ts';
import type { ListJobs } from '../../../application/list-jobs.ts';
import type { ListServers } from '../../../application/list-servers.ts';
import type { ListSnapshots } from '../../../application/list-snapshots.ts';
import { SERVER_NEEDS, type ServerNeed } from '../../../application/ports/server-store.ts';
import { serverNotFound } from '../../../domain/actor.ts';
import type { Page } from '../../../domain/page.ts';
import type { Server } from '../../../domain/server.ts';
import { page, type WebRoute } from '../route.ts';
import { offsetOf, Paging } from '../views/paging.tsx';
import { ServerPage } from '../views/server-page.tsx';
import { Status } from '../views/status.tsx';
import { Ago } from '../views/time.tsx';

export interface ServerDeps {
  readonly listServers: Pick<ListServers, 'execute'>;
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly getInventory: Pick<GetInventory, 'execute'>;
  readonly listJobs: Pick<ListJobs, 'execute'>;
  readonly listSnapshots: Pick<ListSnapshots, 'execute'>;
}

const ROWS = 100;
const RECENT = { limit: 10, offset: 0 };

const NEED_WORDS: Readonly<Record<ServerNeed, string>> = {
  stale_backup: 'without a fresh backup',
  security_updates: 'security updates pending',
  os_updates: 'package updates pending',
  container_updates: 'newer container images',
  reboot: 'waiting for a reboot',
};

const needOf = (raw: string | null): ServerNeed | undefined => SERVER_NEEDS.find((need) => need === raw);

/** The fleet as a list, and each server's own page. */
export function serverRoutes(deps: ServerDeps): readonly WebRoute[] {
  return [
    {
      method: 'GET',
      path: '/servers',
      needs: 'viewer',
      handle: async ({ visitor, query, now }) => {
        const q = (query.get('q') ?? '').slice(0, 200);
        const need = needOf(query.get('needs'));
        const found = await deps.listServers.execute(visitor.actor, {
          q,
          ...(need ? { need } : {}),
          limit: ROWS,
          offset: offsetOf(query),
        });
        return page(
          'servers',
          'Servers',
          <>
            <Search q={q} need={need} />
            <Rows found={found} now={now} filtered={q !== '' || need !== undefined} />
            <Paging found={found} path="/servers" query={query} />
          </>,
        );
      },
    },
    {
      method: 'GET',
      path: '/servers/:id',
      needs: 'viewer',
      handle: async ({ visitor, params, now }) => {
        const id = idOf(params['id']);
        const { actor } = visitor;
        const [server, hosts, jobs, snapshots] = await Promise.all([
          deps.getServer.execute(actor, id),
          deps.getInventory.execute(actor, id, { limit: 1, offset: 0 }),
          deps.listJobs.execute(actor, { ...RECENT, serverId: id }),
          deps.listSnapshots.execute(actor, id, RECENT),
        ]);
        const inventory = hosts.items[0]?.inventory ?? null;
        return page('servers', server.name, <ServerPage {...{ server, inventory, jobs, snapshots, now }} />);
      },
    },
  ];
}

/** Throws `server_not_found` for what is no id. */
export function idOf(raw: string | undefined): number {
  if (raw !== undefined && /^[1-9]\d{0,14}$/.test(raw)) return Number(raw);
  throw serverNotFound(Number.NaN);
}

function Search({ q, need }: { readonly q: string; readonly need: ServerNeed | undefined }) {
  return (
    <form method="get" action="/servers" class="filter" role="search">
      <label for="q">Search</label>
      <input type="search" id="q" name="q" value={q} placeholder="name, address or tag" data-search />
      <label for="needs">Show</label>
      <select id="needs" name="needs">
        <option value="">all servers</option>
        {SERVER_NEEDS.map((each) => (
          <option key={each} value={each} selected={each === need}>
            {NEED_WORDS[each]}
          </option>
        ))}
      </select>
      <button type="submit">Show</button>
    </form>
  );
}

function Rows({
  found,
  now,
  filtered,
}: {
  readonly found: Page<Server>;
  readonly now: number;
  readonly filtered: boolean;
}) {
  if (found.items.length === 0) {
    return filtered ? (
      <p>
        No server matches. <a href="/servers">Show all</a>
      </p>
    ) : (
      <p>
        There are no servers yet. Add one on the service's machine:{' '}
        <code>drover server add NAME --host ADDRESS</code>
      </p>
    );
  }
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">System</th>
            <th scope="col">Updates</th>
            <th scope="col">Last backup</th>
            <th scope="col">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {found.items.map((server) => (
            <tr key={server.id}>
              <td>
                <a href={`/servers/${server.id}`}>{server.name}</a>{' '}
                {server.tags.map((tag) => (
                  <a key={tag} class="tag" href={`/servers?q=${encodeURIComponent(tag)}`}>
                    {tag}
                  </a>
                ))}
              </td>
              <td class="text">{server.facts.osPretty ?? <span class="quiet">not read yet</span>}</td>
              <td>
                <Updates server={server} />
              </td>
              <td>
                {server.features.backup ? (
                  <Ago at={server.facts.lastBackupAt} now={now} />
                ) : (
                  <span class="quiet">off</span>
                )}
              </td>
              <td>
                <Ago at={server.facts.lastSeenAt} now={now} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Updates({ server: { facts } }: { readonly server: Server }) {
  if (facts.osUpdatesCount === null) return <span class="quiet">never checked</span>;
  const security = facts.securityUpdatesCount ?? 0;
  return (
    <>
      {security > 0 ? (
        <Status tone="bad">{`${security} security`}</Status>
      ) : facts.osUpdatesCount > 0 ? (
        <Status tone="care">{`${facts.osUpdatesCount} pending`}</Status>
      ) : (
        <Status tone="good">none</Status>
      )}{' '}
      {facts.rebootPending ? <Status tone="care">reboot</Status> : null}
    </>
  );
}
