import type { AffectedPackage } from '../../../../../application/fleet/find-cve.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { type ServerPackage, systemTitle } from '../../../../../domain/fleet/installed-package.ts';
import { BulkBar } from '../../components/bulk-bar.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { NoMatch } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';

interface HoldersProps<T> {
  readonly found: Page<T>;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Whether the user may select servers and update them. */
  readonly mayAct: boolean;
  readonly fixedIn?: (found: T) => string | null;
}

const BULK = 'bulk-affected';

/** Packages with their servers, which can be selected and updated in a batch: it starts with a dry run. */
export function PackageHolders<T extends ServerPackage | AffectedPackage>({
  found,
  path,
  query,
  mayAct,
  fixedIn,
}: HoldersProps<T>) {
  return (
    <>
      <DataTable
        rows={found.items}
        keyOf={({ serverId, name, version }) => `${serverId}/${name}/${version}`}
        select={
          mayAct
            ? {
                form: BULK,
                label: ({ name, serverName }) => `${name} on ${serverName}`,
                value: ({ serverId }) => serverId,
              }
            : undefined
        }
        empty={<NoMatch path={path}>No installed packages match.</NoMatch>}
        paging={{ found, path, query }}
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
          { head: 'System', phone: 'hide', cell: ({ system }) => systemTitle(system) },
        ]}
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
}

/** On a phone beside the installed version, so that a row has two lines. */
const Fix = ({ version }: { readonly version: string | null }) => (
  <>
    <span class="phone" aria-hidden="true">
      {version === null ? null : '→ '}
    </span>
    {version ?? 'not fixed yet'}
  </>
);
