import type { AffectedPackage, FindCve } from '../../../../../application/fleet/find-cve.ts';
import type { SearchPackages } from '../../../../../application/fleet/search-packages.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { ServerPackage } from '../../../../../domain/fleet/installed-package.ts';
import { isCveId } from '../../../../../domain/fleet/vulnerability.ts';
import { BulkBar } from '../../components/bulk-bar.tsx';
import { DataTable, type DataTableProps } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { FilterBar, FilterField } from '../../components/filter-bar.tsx';
import { Icon } from '../../components/icon.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { page, type SignedInVisit, type WebRoute } from '../../route.ts';
import { mayOperate } from './remedy.tsx';

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
      search={{ name: 'q', label: 'Package or CVE', placeholder: 'name or CVE-2024-6387' }}
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
        {known ? <Affected found={packages} query={query} mayAct={mayOperate(actor, 'any server')} /> : null}
      </>
    );
  }
  if (name === '' && version === '') return <Start />;
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

/** What a search finds, and the way to what needs to be updated without one. */
const Start = () => (
  <Empty
    icon="package"
    title="Search the packages of all servers"
    action={
      <div class="row">
        <a class="button quiet small" href={`${PATH}?q=openssl`}>
          Search for openssl
        </a>
        <a class="button quiet small" href="/servers?needs=security_updates">
          Servers with security updates
        </a>
      </div>
    }
  >
    Enter a part of a package’s name or version, or the id of a CVE to list the servers that it affects.
  </Empty>
);

const BULK = 'bulk-affected';

/** The packages that a CVE affects; their servers can be selected, and updated in a batch, which starts with a dry run. */
const Affected = ({
  found,
  query,
  mayAct,
}: {
  readonly found: Page<AffectedPackage>;
  readonly query: URLSearchParams;
  readonly mayAct: boolean;
}) => (
  <>
    <Rows
      found={found}
      query={query}
      fixedIn={(each) => each.fixedIn}
      select={
        mayAct
          ? {
              form: BULK,
              label: ({ name, serverName }) => `${name} on ${serverName}`,
              value: ({ serverId }) => serverId,
            }
          : undefined
      }
    />
    {mayAct ? (
      <BulkBar id={BULK} method="get" action="/batches/new" noun="packages" filter={{}}>
        <button type="submit" name="type" value="os_patch">
          <Icon name="package" />
          Update these servers…
        </button>
      </BulkBar>
    ) : null}
  </>
);

/** On a phone beside the installed version, so that a row has two lines. */
const Fix = ({ version }: { readonly version: string | null }) => (
  <>
    <span class="phone" aria-hidden="true">
      {version === null ? null : '→ '}
    </span>
    {version ?? 'not fixed yet'}
  </>
);

function Rows<T extends ServerPackage | AffectedPackage>({
  found,
  query,
  fixedIn,
  select,
}: {
  readonly found: Page<T>;
  readonly query: URLSearchParams;
  readonly fixedIn?: (found: T) => string | null;
} & Pick<DataTableProps<T>, 'select'>) {
  return (
    <DataTable
      rows={found.items}
      keyOf={({ serverId, name, version }) => `${serverId}/${name}/${version}`}
      select={select}
      empty={
        <Empty icon="search">
          No installed packages match. Drover reads them with the inventory, about once an hour.
        </Empty>
      }
      paging={{ found, path: PATH, query }}
      columns={[
        { head: 'Package', kind: 'code', cell: ({ name }) => name },
        {
          head: 'Version',
          kind: 'code',
          ...(fixedIn === undefined && { phone: 'label' as const }),
          cell: ({ version }) => version,
        },
        fixedIn !== undefined && {
          head: 'Fixed in',
          kind: 'code',
          cell: (each) => <Fix version={fixedIn(each)} />,
        },
        {
          head: 'Server',
          kind: 'state',
          cell: ({ serverId, serverName }) => <a href={`/servers/${serverId}`}>{serverName}</a>,
        },
        { head: 'System', phone: 'hide', cell: ({ system }) => system },
      ]}
    />
  );
}
