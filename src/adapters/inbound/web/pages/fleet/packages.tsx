import type { AffectedPackage, FindCve } from '../../../../../application/fleet/find-cve.ts';
import type { SearchPackages } from '../../../../../application/fleet/search-packages.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { ServerPackage } from '../../../../../domain/fleet/installed-package.ts';
import { isCveId } from '../../../../../domain/fleet/vulnerability.ts';
import { DataTable } from '../../components/data-table.tsx';
import { FilterBar, FilterField } from '../../components/filter-bar.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { page, type SignedInVisit, type WebRoute } from '../../route.ts';

export interface PackageDeps {
  readonly searchPackages: Pick<SearchPackages, 'execute'>;
  readonly findCve: Pick<FindCve, 'execute'>;
}

const PATH = '/packages';
const ROWS = 35;
const MAX_TEXT = 200;

/** The installed packages of all servers, by name and version, or those that a CVE affects. */
export const packageRoutes = (deps: PackageDeps): readonly WebRoute[] =>
  listRoutes(PATH, 'viewer', (visit) => listPage(deps, visit));

async function listPage(deps: PackageDeps, { visitor: { actor }, query }: SignedInVisit) {
  const filter = (
    <FilterBar
      path={PATH}
      query={query}
      search={{ name: 'q', label: 'Package or CVE', placeholder: 'part of a name, or CVE-2024-6387' }}
      more={{ names: ['version'], fields: <FilterField query={query} name="version" label="Version" /> }}
    />
  );
  return { ...page('servers', 'Installed packages', filter), list: await listOf(deps, actor, query) };
}

async function listOf({ searchPackages, findCve }: PackageDeps, actor: Actor, query: URLSearchParams) {
  const name = (query.get('q') ?? '').trim().slice(0, MAX_TEXT);
  const version = (query.get('version') ?? '').trim().slice(0, MAX_TEXT);
  const window = { limit: ROWS, offset: offsetOf(query) };
  if (isCveId(name)) {
    const { id, known, systems, packages } = await findCve.execute(actor, name, window);
    const words = known
      ? `${id} affects ${count(packages.total, 'installed package')}. The security data name it for ${systems.join(', ')}.`
      : `The imported security data do not name ${id}. An administrator imports newer ones with: drover cve import FILE`;
    return (
      <>
        <p>{words}</p>
        {known ? <Rows found={packages} query={query} fixedIn={(each) => each.fixedIn} /> : null}
      </>
    );
  }
  if (name === '' && version === '')
    return <p class="quiet">Enter a part of a package’s name or version, or the id of a CVE.</p>;
  const found = await searchPackages.execute(actor, { name, version, ...window });
  return (
    <>
      {found.complete ? null : (
        <p class="quiet">
          More than 2,000 different versions match, and only some are listed. Narrow the search.
        </p>
      )}
      <Rows found={found} query={query} />
    </>
  );
}

function Rows<T extends ServerPackage | AffectedPackage>({
  found,
  query,
  fixedIn,
}: {
  readonly found: Page<T>;
  readonly query: URLSearchParams;
  readonly fixedIn?: (found: T) => string | null;
}) {
  return (
    <DataTable
      rows={found.items}
      keyOf={({ serverId, name, version }) => `${serverId} ${name} ${version}`}
      empty="No installed packages match. Drover reads them with the inventory, about once an hour."
      paging={{ found, path: PATH, query }}
      columns={[
        { head: 'Package', kind: 'code', cell: ({ name }) => name },
        { head: 'Version', kind: 'code', phone: 'label', cell: ({ version }) => version },
        fixedIn !== undefined && {
          head: 'Fixed in',
          kind: 'code',
          phone: 'label',
          cell: (each) => fixedIn(each) ?? 'not fixed yet',
        },
        {
          head: 'Server',
          cell: ({ serverId, serverName }) => <a href={`/servers/${serverId}`}>{serverName}</a>,
        },
        { head: 'System', phone: 'hide', cell: ({ system }) => system },
      ]}
    />
  );
}
