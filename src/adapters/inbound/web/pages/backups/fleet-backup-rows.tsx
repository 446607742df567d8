import { type ListFleetBackups, STRIP_DAYS } from '../../../../../application/backups/list-fleet-backups.ts';
import { DAY, type Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { BulkBar } from '../../components/bulk-bar.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { type HeatCell, HeatStrip } from '../../components/heat-strip.tsx';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

interface FleetBackupRowsProps {
  readonly found: Awaited<ReturnType<ListFleetBackups['execute']>>;
  readonly now: Instant;
  readonly query: URLSearchParams;
  /** May start jobs. */
  readonly mayAct: boolean;
}

const BULK = 'bulk-backups';
const BULK_JOBS = [
  ['backup', 'database-backup', 'Back up…'],
  ['snapshot_verify', 'shield-check', 'Verify…'],
  ['retention', 'trash-2', 'Apply retention…'],
] as const satisfies readonly (readonly [JobType, IconName, string])[];

const stripOf = (from: Instant, days: readonly Instant[]): readonly HeatCell[] =>
  Array.from({ length: STRIP_DAYS }, (_, index) => {
    const day = from + index * DAY;
    const isThere = days.includes(day);
    return {
      tone: isThere ? 'good' : 'off',
      title: `${shortDay(day)}: ${isThere ? 'backed up' : 'no backup'}`,
    };
  });

const shortDay = (day: Instant): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(day);

/** Every server with backups enabled, the worst first. */
export function FleetBackupRows({ found, now, query, mayAct }: FleetBackupRowsProps) {
  if (found.total === 0 && !query.get('only')) {
    return (
      <p>
        Backups are off for all servers. Turn them on in a server's settings, or on Drover's machine:{' '}
        <code>drover server features ID backup=on</code>
      </p>
    );
  }
  return (
    <>
      <p class="quiet">
        {count(found.total, 'server')} with backups on, the oldest backup first. Overdue: none within{' '}
        {found.staleHours} hours.
      </p>
      <DataTable
        rows={found.items}
        keyOf={({ serverId }) => serverId}
        select={mayAct ? { form: BULK, label: ({ serverName }) => serverName } : undefined}
        empty="No server matches."
        paging={{ found, path: '/backups', query }}
        columns={[
          {
            head: 'Server',
            cell: (each) => <a href={`/servers/${each.serverId}/backups`}>{each.serverName}</a>,
          },
          {
            head: 'State',
            kind: 'state',
            cell: ({ stale, lastBackupAt }) =>
              stale ? (
                <Status tone="bad">{lastBackupAt === null ? 'never backed up' : 'overdue'}</Status>
              ) : (
                <Status tone="good">fresh</Status>
              ),
          },
          {
            head: `Last ${STRIP_DAYS} days`,
            phone: 'hide',
            cell: ({ days, serverName }) => (
              <HeatStrip
                cells={stripOf(found.daysFrom, days)}
                label={`${serverName}: a backup on ${days.length} of ${STRIP_DAYS} days`}
              />
            ),
          },
          { head: 'Last success', cell: ({ lastBackupAt }) => <Ago at={lastBackupAt} now={now} /> },
          {
            head: 'Verified',
            phone: 'label',
            cell: ({ lastVerifiedAt }) => <Ago at={lastVerifiedAt} now={now} />,
          },
          { head: 'Sources', kind: 'number', cell: ({ sources }) => sources },
          { head: 'Size', kind: 'number', cell: ({ bytes }) => size(bytes) },
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
