import type { ComponentChildren } from 'preact';
import type { FindCve } from '../../../../../application/fleet/find-cve.ts';
import type { ListCves } from '../../../../../application/fleet/list-cves.ts';
import type { ListedPackage, ListPackages } from '../../../../../application/fleet/list-packages.ts';
import type { SearchPackages } from '../../../../../application/fleet/search-packages.ts';
import { PACKAGE_ORDERS, type PackageOrder } from '../../../../../domain/base/list-orders.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { count, grouped } from '../../../../../domain/base/spans.ts';
import { systemTitle } from '../../../../../domain/fleet/installed-package.ts';
import { isCveId } from '../../../../../domain/fleet/vulnerability.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Empty, NoMatch } from '../../components/empty.tsx';
import { FilterBar, FilterField } from '../../components/filter-bar.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { type Sorting, sortingOf } from '../../components/sorting.ts';
import { Status } from '../../components/status.tsx';
import { page, type SignedInVisit, type WebRoute } from '../../route.ts';
import { cveListPage } from './cve-list.tsx';
import { CveView, cveHeader } from './cve-view.tsx';
import { PackageHolders } from './package-holders.tsx';
import { mayOperate } from './remedy.tsx';

export interface PackageDeps {
  readonly listPackages: Pick<ListPackages, 'execute'>;
  readonly searchPackages: Pick<SearchPackages, 'execute'>;
  readonly findCve: Pick<FindCve, 'execute'>;
  readonly listCves: Pick<ListCves, 'execute'>;
}

const PATH = '/packages';
/** Packages, each with its versions, and servers. */
const GROUPS = 30;
const ROWS = 35;
const MAX_TEXT = 200;

/** The installed packages of all servers by package and version, the servers that have one, and CVEs. */
export const packageRoutes = (deps: PackageDeps): readonly WebRoute[] => [
  ...listRoutes(PATH, 'viewer', (visit) => listPage(deps, visit)),
  ...listRoutes(`${PATH}/cves`, 'viewer', (visit) => cveListPage(deps, visit)),
];

async function listPage(deps: PackageDeps, visit: SignedInVisit) {
  const { visitor, query } = visit;
  const name = textOf(query, 'q');
  const totals = isCveId(name) ? null : await totalsOf(deps, visit, name);
  const filter = (
    <FilterBar
      path={PATH}
      query={query}
      search={{ name: 'q', label: 'Package or CVE', placeholder: 'Name or CVE number' }}
      {...(totals === null || query.get('show') === 'servers'
        ? { keep: ['show', 'sort'] }
        : {
            keep: ['sort'],
            chips: {
              name: 'show',
              options: [
                { value: '', label: 'All', count: totals.all },
                { value: 'outdated', label: 'Outdated', count: totals.outdated, stays: true },
              ],
            },
          })}
      more={{ names: ['version'], fields: <FilterField query={query} name="version" label="Version" /> }}
    />
  );
  if (isCveId(name)) {
    const window = { limit: ROWS, offset: offsetOf(query) };
    const finding = await deps.findCve.execute(visitor.actor, name, window);
    const mayAct = mayOperate(visitor.actor, 'any server');
    return {
      ...page('servers', finding.id, filter),
      header: cveHeader(finding, mayAct),
      list: <CveView {...{ finding, query, mayAct }} path={PATH} />,
    };
  }
  return {
    ...page('servers', 'Installed packages', filter),
    header: { sub: totals === null ? null : stateOf(totals) },
    list: await listOf(deps, name, visit),
  };
}

interface Totals {
  readonly all: number;
  readonly outdated: number;
}

/** Of the packages that match. */
async function totalsOf(
  { listPackages }: PackageDeps,
  { visitor: { actor }, query }: SignedInVisit,
  name: string,
): Promise<Totals> {
  const search = { name, version: textOf(query, 'version'), limit: 1, offset: 0 };
  const { total: all } = await listPackages.execute(actor, { ...search, outdated: false });
  const { total: outdated } = await listPackages.execute(actor, { ...search, outdated: true });
  return { all, outdated };
}

/** Such as `412 packages · 12 outdated on some servers`. */
const stateOf = ({ all, outdated }: Totals): string =>
  `${count(all, 'package')}${outdated === 0 ? '' : ` · ${grouped(outdated)} outdated on some servers`}`;

const textOf = (query: URLSearchParams, name: string): string =>
  (query.get(name) ?? '').trim().slice(0, MAX_TEXT);

async function listOf(
  { listPackages, searchPackages }: PackageDeps,
  name: string,
  { visitor: { actor }, query }: SignedInVisit,
) {
  const version = textOf(query, 'version');
  const offset = offsetOf(query);
  const show = query.get('show');
  if (show === 'servers' && name + version !== '') {
    const found = await searchPackages.execute(actor, { name, version, limit: ROWS, offset });
    return (
      <>
        {found.complete ? null : (
          <p class="quiet">
            More than 2,000 different versions match, and only some are listed. Narrow the search.
          </p>
        )}
        <PackageHolders {...{ found, query }} path={PATH} mayAct={mayOperate(actor, 'any server')} />
      </>
    );
  }
  const outdated = show === 'outdated';
  const usual = { by: 'name', descending: false } as const;
  const sorting = sortingOf({ path: PATH, query, keys: PACKAGE_ORDERS, usual, largestFirst: ['servers'] });
  const { order } = sorting;
  const found = await listPackages.execute(actor, { name, version, outdated, order, limit: GROUPS, offset });
  return <Groups {...{ found, query, sorting }} />;
}

/** Of so few packages, all versions are shown at once. */
const FEW = 3;

function Groups({
  found,
  query,
  sorting: { sort },
}: {
  readonly found: Page<ListedPackage>;
  readonly query: URLSearchParams;
  readonly sorting: Sorting<PackageOrder['by']>;
}) {
  return (
    <DataTable
      rows={found.items}
      keyOf={({ name }) => name}
      empty={
        query.size > 0 ? (
          <NoMatch path={PATH}>No installed packages match.</NoMatch>
        ) : (
          <Empty icon="package">
            No packages are known yet. Drover reads them with the inventory of each server, about once an
            hour.
          </Empty>
        )
      }
      paging={{ found, path: PATH, query }}
      columns={[
        {
          head: 'Package',
          sort: sort('name'),
          cell: ({ name, versions }) => (
            <>
              <span>{name}</span> <Outdated versions={versions} />
            </>
          ),
        },
        {
          head: 'Servers',
          kind: 'number',
          sort: sort('servers'),
          cell: ({ name, servers }) => (
            <Holders name={name} servers={servers}>
              {grouped(servers)}
            </Holders>
          ),
        },
        {
          head: 'Versions',
          kind: 'fill',
          cell: (group) => <Versions {...group} isOpen={found.items.length <= FEW} />,
        },
      ]}
    />
  );
}

function Outdated({ versions }: Pick<ListedPackage, 'versions'>) {
  const outdated = versions.filter(({ newer }) => newer !== null);
  const servers = outdated.reduce((sum, each) => sum + each.servers, 0);
  return servers === 0 ? null : <Status tone="care">{`outdated on ${servers}`}</Status>;
}

const Holders = ({
  name,
  version,
  servers,
  children = count(servers, 'server'),
}: {
  readonly name: string;
  readonly version?: string;
  readonly servers: number;
  /** Shown instead of their number in words. */
  readonly children?: ComponentChildren;
}) => (
  <a
    href={`${PATH}?${new URLSearchParams({ q: name, ...(version && { version }), show: 'servers' })}`}
    title={`${count(servers, 'server')} with ${name}`}
  >
    {children}
  </a>
);

/** The versions of a package, those of a system together, the newest one first. */
function Versions({ name, versions, isOpen }: ListedPackage & { readonly isOpen: boolean }) {
  const [only, ...others] = versions;
  if (only !== undefined && others.length === 0) {
    return (
      <>
        <code>{only.version}</code> <span class="quiet">{systemTitle(only.system)}</span>
      </>
    );
  }
  return (
    <details open={isOpen}>
      <summary>{count(versions.length, 'version')}</summary>
      <ul>
        {versions.map(({ system, version, servers, newer }) => (
          <li key={`${system} ${version}`}>
            <code>{version}</code> <span class="quiet">{systemTitle(system)}</span>{' '}
            <Holders {...{ name, version, servers }} />{' '}
            {newer === null ? null : (
              <span title={`Newer on ${systemTitle(system)}: ${newer}`}>
                <Status tone="care">outdated</Status>
              </span>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
