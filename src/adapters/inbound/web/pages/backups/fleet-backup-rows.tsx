import type { ListFleetBackups } from '../../../../../application/backups/list-fleet-backups.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { DataTable } from '../../components/data-table.tsx';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

interface FleetBackupRowsProps {
  readonly found: Awaited<ReturnType<ListFleetBackups['execute']>>;
  readonly now: Instant;
  readonly query: URLSearchParams;
}

/** Every server with backups enabled, the worst first. */
export function FleetBackupRows({ found, now, query }: FleetBackupRowsProps) {
  if (found.total === 0) {
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
        {count(found.total, 'server')} with backups on, the oldest backup first. Stale: none within{' '}
        {found.staleHours} hours.
      </p>
      <DataTable
        rows={found.items}
        keyOf={({ serverId }) => serverId}
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
                <Status tone="bad">{lastBackupAt === null ? 'never backed up' : 'stale'}</Status>
              ) : (
                <Status tone="good">fresh</Status>
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
    </>
  );
}
