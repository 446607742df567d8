import { type ListFleetBackups, STRIP_DAYS } from '../../../../../application/backups/list-fleet-backups.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { BackupOrder } from '../../../../../domain/base/list-orders.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { BulkBar } from '../../components/bulk-bar.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { NoMatch } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { RowMenu } from '../../components/row-actions.tsx';
import { size } from '../../components/size.ts';
import type { Sorting } from '../../components/sorting.ts';
import { Sparkline } from '../../components/sparkline.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { JobStrip } from '../fleet/server-activity.tsx';

interface FleetBackupRowsProps {
  readonly found: Awaited<ReturnType<ListFleetBackups['execute']>>;
  readonly now: Instant;
  readonly query: URLSearchParams;
  readonly sorting: Sorting<BackupOrder['by']>;
  /** May start jobs. */
  readonly mayAct: boolean;
}

const BULK = 'bulk-backups';
const BULK_JOBS = [
  ['backup', 'database-backup', 'Back up…'],
  ['snapshot_verify', 'shield-check', 'Verify…'],
  ['retention', 'trash-2', 'Apply retention…'],
] as const satisfies readonly (readonly [JobType, IconName, string])[];

/** Every server with backups enabled. */
export function FleetBackupRows({ found, now, query, sorting, mayAct }: FleetBackupRowsProps) {
  if (found.total === 0 && !query.get('only') && !query.get('q')) {
    return (
      <p>
        Backups are off for all servers. Turn them on in a server's settings, or on Drover's machine:{' '}
        <code>drover server features ID backup=on</code>
      </p>
    );
  }
  const isElsewhere = found.items.some(({ destinations }) => destinations.some((name) => name !== null));
  return (
    <>
      <DataTable
        rows={found.items}
        keyOf={({ serverId }) => serverId}
        select={mayAct ? { form: BULK, label: ({ serverName }) => serverName } : undefined}
        empty={<NoMatch path="/backups">No server matches.</NoMatch>}
        paging={{ found, path: '/backups', query }}
        columns={[
          {
            head: 'Server',
            sort: sorting.sort('server'),
            cell: (each) => <a href={`/servers/${each.serverId}/backups`}>{each.serverName}</a>,
          },
          {
            head: 'State',
            kind: 'state',
            cell: ({ stale, failed, lastBackupAt }) =>
              stale ? (
                <Status tone="bad">{lastBackupAt === null ? 'never backed up' : 'overdue'}</Status>
              ) : failed ? (
                <Status tone="care">last one failed</Status>
              ) : lastBackupAt === null ? (
                <Status tone="off">not backed up yet</Status>
              ) : (
                <Status tone="good">fresh</Status>
              ),
          },
          {
            head: 'Last success',
            kind: 'time',
            sort: sorting.sort('last_success'),
            phone: 'label',
            cell: ({ lastBackupAt }) => <Ago at={lastBackupAt} now={now} />,
          },
          {
            head: 'Verified',
            kind: 'time',
            sort: sorting.sort('verified'),
            phone: 'hide',
            cell: ({ lastVerifiedAt }) => <Ago at={lastVerifiedAt} now={now} />,
          },
          {
            head: `Last ${STRIP_DAYS} days`,
            cell: ({ days, serverName }) => (
              <JobStrip
                days={days}
                name={`Backups of ${serverName}`}
                filter={{ server: serverName, type: 'backup' }}
              />
            ),
          },
          { head: 'Sources', kind: 'number', phone: 'hide', from: 'wide', cell: ({ sources }) => sources },
          {
            head: 'Destination',
            phone: 'hide',
            ...(isElsewhere ? {} : { from: 'wide' }),
            cell: ({ destinations }) => destinations.map((name) => name ?? 'Drover').join(', '),
          },
          { head: 'Size', kind: 'number', phone: 'hide', cell: ({ bytes }) => size(bytes) },
          {
            head: `Growth, ${STRIP_DAYS} days`,
            phone: 'hide',
            cell: ({ days }) => <SizeTrend days={days} />,
          },
          mayAct && {
            head: 'Actions',
            kind: 'actions',
            cell: (each) => (
              <div class="row">
                <Actions id={each.serverId} name={each.serverName} />
              </div>
            ),
          },
        ]}
      />
      {mayAct ? (
        <BulkBar id={BULK} method="get" action="/batches/new" noun="servers" filter={{}}>
          {BULK_JOBS.map(([type, icon, label]) => (
            <button key={type} type="submit" name="type" value={type}>
              <Icon name={icon} />
              {label}
            </button>
          ))}
        </BulkBar>
      ) : null}
    </>
  );
}

/** A change of less than this part of the size is no change. */
const MIN_CHANGE = 0.01;

/** How the size of a server's backups developed; a day without a backup has no value. */
function SizeTrend({ days }: { readonly days: readonly { readonly bytes: number }[] }) {
  const known = days.map(({ bytes }) => bytes).filter((bytes) => bytes > 0);
  const [first, last] = [known[0], known.at(-1)];
  if (known.length < 2 || !first || !last) return null;
  const change = (last - first) / first;
  if (Math.max(...known) - Math.min(...known) < MIN_CHANGE * last)
    return <span class="quiet">unchanged</span>;
  return (
    <span class="trend">
      <Sparkline
        values={known}
        label={`${count(days.length, 'day')}, from ${size(first)} to ${size(last)}`}
      />
      {`${change < 0 ? '−' : '+'}${Math.round(Math.abs(change) * 100)}\u00a0%`}
    </span>
  );
}

const Actions = ({ id, name }: { readonly id: number; readonly name: string }) => (
  <RowMenu id={`backups-${id}`} about={name}>
    <form method="post" action={`/servers/${id}/backups`}>
      <button type="submit">
        <Icon name="database-backup" /> Back up now
      </button>
    </form>
    <a href={`/servers/${id}/backups`}>
      <Icon name="history" /> Snapshots
    </a>
    <a href={`/servers/${id}/sources`}>
      <Icon name="folder" /> Sources
    </a>
    <a href={`/servers/${id}/backups/retention`}>
      <Icon name="trash-2" /> Retention…
    </a>
  </RowMenu>
);
