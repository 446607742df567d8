import { type UrgentNeed, urgentNeeds } from '../../../../../application/fleet/get-overview.ts';
import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import { duration } from '../../../../../domain/base/spans.ts';
import type { Inventory } from '../../../../../domain/fleet/inventory.ts';
import { FEATURE_FLAGS, type Server } from '../../../../../domain/fleet/server.ts';
import { DataTable } from '../../components/data-table.tsx';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { Fact } from './fact.tsx';
import { Remedy } from './remedy.tsx';
import type { Viewer } from './server-table.tsx';

const NEED_WORDS: Readonly<Record<UrgentNeed, string>> = {
  unreachable: 'It cannot be reached.',
  stale_backup: 'It has no fresh backup.',
  security_updates: 'Security updates are pending.',
  reboot: 'It waits for a reboot.',
  updates_unknown: 'Drover has not checked for updates yet, so it cannot tell if any are missing.',
  unchecked: "Setup isn't finished: Drover has not connected to this server yet.",
};

/** One server's needs, and their fixes. */
export function ServerNeeds({ server, onlooker }: { readonly server: Server; readonly onlooker: Viewer }) {
  const needs = urgentNeeds(server, onlooker.staleBefore);
  if (needs.length === 0) return null;
  return (
    <ul class="notice bad needs">
      {needs.map((need) => (
        <li key={need} class="row">
          <span class="grow">{NEED_WORDS[need]}</span>
          {onlooker.mayAct ? <Remedy server={server} need={need} /> : null}
        </li>
      ))}
    </ul>
  );
}

/** Last known facts of a server. */
export function ServerFacts({
  server,
  inventory,
  now,
}: {
  readonly server: Server;
  readonly inventory: Inventory | null;
  readonly now: number;
}) {
  const { facts } = server;
  return (
    <>
      <dl class="tiles">
        <Fact name="System">{facts.osPretty ?? 'not read yet'}</Fact>
        {inventory === null ? null : <Fact name="Kernel">{inventory.kernel}</Fact>}
        <Fact name="Processor">
          {facts.cpuCores === null
            ? '–'
            : `${facts.cpuCores} × ${facts.arch ?? ''}, load ${facts.cpuLoad ?? '–'}`}
        </Fact>
        <Fact name="Memory">{`${size(facts.memoryUsedBytes)} of ${size(facts.memoryTotalBytes)}`}</Fact>
        <Fact name="Disk">{`${size(facts.diskUsedBytes)} of ${size(facts.diskTotalBytes)}`}</Fact>
        {inventory === null ? null : <Fact name="Up for">{duration(inventory.uptimeSeconds * 1000)}</Fact>}
        <Fact name="Packages">{inventory?.packagesCount ?? '–'}</Fact>
        <Fact name="Last seen">
          <Ago at={facts.lastSeenAt} now={now} />
        </Fact>
        <Fact name="Last backup">
          <Ago at={facts.lastBackupAt} now={now} />
        </Fact>
        <Fact name="Backups verified">
          <Ago at={facts.lastVerifiedAt} now={now} />
        </Fact>
        <Fact name="Features">
          {FEATURE_FLAGS.filter((flag) => server.features[flag]).join(', ') || 'none on'}
        </Fact>
        <Fact name="Reboot">
          {facts.rebootPending === null ? (
            'not known'
          ) : facts.rebootPending ? (
            <Status tone="care">pending</Status>
          ) : (
            <Status tone="good">not needed</Status>
          )}
        </Fact>
      </dl>
      {inventory === null ? null : (
        <p class="quiet">
          Inventory of <Ago at={inventory.at} now={now} />.
        </p>
      )}
      <Disks inventory={inventory} />
      <FailedUnits inventory={inventory} />
    </>
  );
}

function Disks({ inventory }: { readonly inventory: Inventory | null }) {
  if (inventory === null || inventory.disks.length < 2) return null;
  return (
    <>
      <h2>File systems</h2>
      <DataTable
        rows={inventory.disks}
        columns={[
          { head: 'Mounted at', kind: 'code', cell: ({ mount }) => mount },
          { head: 'Type', cell: ({ filesystem }) => filesystem },
          { head: 'Used', kind: 'number', cell: ({ usedBytes }) => size(usedBytes) },
          { head: 'Size', kind: 'number', cell: ({ totalBytes }) => size(totalBytes) },
          {
            head: 'Full',
            kind: 'number',
            cell: ({ usedBytes, totalBytes }) =>
              totalBytes === 0 ? '–' : `${Math.round((100 * usedBytes) / totalBytes)} %`,
          },
        ]}
      />
    </>
  );
}

function FailedUnits({ inventory }: { readonly inventory: Inventory | null }) {
  const units = inventory?.failedUnits ?? [];
  if (units.length === 0) return null;
  return (
    <>
      <h2>Failed units</h2>
      <ul>
        {units.map((unit) => (
          <li key={unit.name}>
            <Status tone="bad">{unit.name}</Status> <span class="quiet">{unit.description}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The sizes of the latest snapshots, the oldest first. */
export function SnapshotSizes({ snapshots }: { readonly snapshots: readonly Snapshot[] }) {
  if (snapshots.length < 2) return null;
  const bars = snapshots.toReversed().map((each) => ({
    key: each.id,
    value: each.totalBytes,
    label: `${each.sourceName}, ${new Date(each.finishedAt).toISOString()}: ${size(each.totalBytes)}`,
  }));
  return (
    <BarChart title={`Sizes of the latest ${snapshots.length} snapshots, the oldest first`} bars={bars} />
  );
}

interface Bar {
  readonly key: string | number;
  readonly value: number;
  /** The bar's meaning, with its number. */
  readonly label: string;
}

const WIDTH = 640;
const HEIGHT = 72;

/** Small bars over time. The numbers are beside them as text: these show only the shape. */
function BarChart({ title, bars }: { readonly title: string; readonly bars: readonly Bar[] }) {
  const most = Math.max(...bars.map(({ value }) => value), 1);
  const step = WIDTH / Math.max(bars.length, 12);
  return (
    <svg class="bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
      {bars.map(({ key, value, label }, index) => {
        const height = Math.max(2, Math.round((value / most) * (HEIGHT - 4)));
        return (
          <rect
            key={key}
            x={Math.round(index * step) + 1}
            y={HEIGHT - height}
            width={Math.max(2, Math.round(step) - 3)}
            height={height}
            rx={1}
          >
            <title>{label}</title>
          </rect>
        );
      })}
    </svg>
  );
}
