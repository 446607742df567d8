import type { VNode } from 'preact';
import { Fragment } from 'preact';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { capital, count } from '../../../../../domain/base/spans.ts';
import type { Inventory, PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

/** Visible rows of a long list; the rest is counted. */
const MAX_ROWS = 500;

/** A shorter list needs no filter. */
const MIN_FILTERED = 10;
const PARTS = new Map<string, (update: PendingUpdate) => boolean>([
  ['security', ({ security }) => security],
  ['regular', ({ security }) => !security],
  ['held', ({ held }) => held],
]);

/** Security first, then by name; held ones last. */
const byWeight = (a: PendingUpdate, b: PendingUpdate): number =>
  Number(a.held) - Number(b.held) || Number(b.security) - Number(a.security) || (a.name < b.name ? -1 : 1);

/** Pending updates, security fixes first. */
export function UpdateRows({
  path,
  query,
  inventory,
  checkedAt,
  now,
  install,
  check,
  cves,
}: {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly inventory: Inventory | null;
  readonly checkedAt: Instant | null;
  readonly now: Instant;
  /** Where they are installed, for users who may. */
  readonly install: { readonly to: string; readonly label: string } | null;
  /** Checks for them, for users who may. */
  readonly check: VNode | null;
  /** By the name of the update that fixes them, the newest first. */
  readonly cves: ReadonlyMap<string, readonly string[]>;
}) {
  const updates = inventory?.updates ?? null;
  const checked =
    checkedAt === null ? (
      'As of the inventory'
    ) : (
      <>
        Package lists refreshed <Ago at={checkedAt} now={now} />
      </>
    );
  if (updates === null)
    return (
      <Empty icon="circle-help" title="Updates are unknown" action={check}>
        Drover has not checked for updates yet.
      </Empty>
    );
  if (updates.length === 0) {
    return <Empty icon="circle-check">No updates are pending. {checked}.</Empty>;
  }
  const fixes = updates.filter((update) => update.security).length;
  return (
    <section class="card" aria-labelledby="updates-title">
      <header>
        <h2 id="updates-title">{count(updates.length, 'update')}</h2>
        {fixes === 0 ? null : <Status tone="care">{`${fixes} security`}</Status>}
        <span class="quiet">{checked}</span>
        {install === null ? null : (
          <div class="acts">
            <a class="button" href={install.to}>
              {install.label}
            </a>
          </div>
        )}
      </header>
      {updates.length < MIN_FILTERED ? null : (
        <FilterBar
          path={path}
          query={query}
          search={{ name: 'q', label: 'Package', placeholder: 'package' }}
          chips={{
            name: 'show',
            options: [
              { value: '', label: 'All', count: updates.length },
              ...Array.from(PARTS, ([value, has]) => ({
                value,
                label: capital(value),
                count: updates.filter(has).length,
              })),
            ],
          }}
        />
      )}
      <DataTable
        rows={shownOf(updates, query).toSorted(byWeight)}
        empty="No update matches."
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
                {security ? <Status tone="care">security</Status> : 'regular'}{' '}
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
          updates.some(({ origin }) => origin !== null) && {
            head: 'Origin',
            kind: 'text',
            cell: ({ origin }) => origin,
          },
        ]}
      />
    </section>
  );
}

function shownOf(updates: readonly PendingUpdate[], query: URLSearchParams): readonly PendingUpdate[] {
  const wanted = (query.get('q') ?? '').trim().toLowerCase();
  const has = PARTS.get(query.get('show') ?? '') ?? (() => true);
  return updates.filter((update) => has(update) && update.name.toLowerCase().includes(wanted));
}

const SHOWN_CVES = 3;

const Cves = ({ ids }: { readonly ids: readonly string[] }) => (
  <>
    {ids.slice(0, SHOWN_CVES).map((id, index) => (
      <Fragment key={id}>
        {index === 0 ? null : ', '}
        <a href={`/packages?q=${id}`}>{id}</a>
      </Fragment>
    ))}
    {ids.length > SHOWN_CVES ? <span class="quiet"> and {ids.length - SHOWN_CVES} more</span> : null}
  </>
);
