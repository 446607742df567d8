import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { Inventory, PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

/** Visible rows of a long list; the rest is counted. */
const MAX_ROWS = 500;

/** Security first, then by name; held ones last. */
const byWeight = (a: PendingUpdate, b: PendingUpdate): number =>
  Number(a.held) - Number(b.held) || Number(b.security) - Number(a.security) || (a.name < b.name ? -1 : 1);

/** Pending updates, security fixes first. */
export function UpdateRows({
  inventory,
  checkedAt,
  now,
  install,
  cves,
}: {
  readonly inventory: Inventory | null;
  readonly checkedAt: Instant | null;
  readonly now: Instant;
  /** Where they are installed, for users who may. */
  readonly install: string | null;
  /** By the name of the update that fixes them, the newest first. */
  readonly cves: ReadonlyMap<string, readonly string[]>;
}) {
  const updates = inventory?.updates ?? null;
  const checked = (
    <p class="quiet">
      The package lists were refreshed <Ago at={checkedAt} now={now} />.
    </p>
  );
  if (updates === null) return <p>Updates are unknown: Drover has not checked for updates yet.</p>;
  if (updates.length === 0) {
    return (
      <>
        <p>
          <Status tone="good">No updates are pending.</Status>
        </p>
        {checked}
      </>
    );
  }
  const fixes = updates.filter((update) => update.security).length;
  return (
    <>
      <p>
        {count(updates.length, 'update')}, {fixes === 0 ? 'none of them' : `${fixes} of them`} for security.
      </p>
      {checked}
      {install === null ? null : (
        <p>
          <a class="button" href={install}>
            Update packages
          </a>
        </p>
      )}
      <DataTable
        rows={updates.toSorted(byWeight)}
        max={MAX_ROWS}
        columns={[
          { head: 'Package', kind: 'code', cell: ({ name }) => name },
          { head: 'Installed', kind: 'code', phone: 'label', cell: ({ from }) => from ?? 'new' },
          { head: 'New', kind: 'code', phone: 'label', cell: ({ to }) => to },
          {
            head: 'Kind',
            kind: 'state',
            cell: ({ security, held }) => (
              <>
                {security ? <Status tone="bad">security</Status> : <Status tone="off">other</Status>}{' '}
                {held ? <span class="tag">held</span> : null}
              </>
            ),
          },
          cves.size > 0 && {
            head: 'Fixes',
            kind: 'text',
            phone: 'label',
            cell: ({ name }) => <Cves ids={cves.get(name) ?? []} />,
          },
          { head: 'Origin', kind: 'text', cell: ({ origin }) => origin },
        ]}
      />
    </>
  );
}

const SHOWN_CVES = 3;

const Cves = ({ ids }: { readonly ids: readonly string[] }) => (
  <>
    {ids.slice(0, SHOWN_CVES).map((id) => (
      <>
        <a key={id} href={`/packages?q=${id}`}>
          {id}
        </a>{' '}
      </>
    ))}
    {ids.length > SHOWN_CVES ? <span class="quiet">+{ids.length - SHOWN_CVES}</span> : null}
  </>
);
