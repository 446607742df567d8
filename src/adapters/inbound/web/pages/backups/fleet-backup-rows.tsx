import type { ListFleetBackups } from '../../../../../application/backups/list-fleet-backups.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

interface FleetBackupRowsProps {
  readonly found: Awaited<ReturnType<ListFleetBackups['execute']>>;
  readonly now: Instant;
}

/** Every server that is to be backed up, the worst first. */
export function FleetBackupRows({ found, now }: FleetBackupRowsProps) {
  if (found.total === 0) {
    return (
      <p>
        No server has its backup switched on yet. Switch it on at a server, or on the service's machine:{' '}
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
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Server</th>
              <th scope="col">State</th>
              <th scope="col">Last success</th>
              <th scope="col">Verified</th>
              <th scope="col" class="number">
                Sources
              </th>
              <th scope="col" class="number">
                Size
              </th>
            </tr>
          </thead>
          <tbody>
            {found.items.map((each) => (
              <tr key={each.serverId}>
                <td>
                  <a href={`/servers/${each.serverId}/backups`}>{each.serverName}</a>
                </td>
                <td>
                  {each.stale ? (
                    <Status tone="bad">{each.lastBackupAt === null ? 'never backed up' : 'stale'}</Status>
                  ) : (
                    <Status tone="good">fresh</Status>
                  )}
                </td>
                <td>
                  <Ago at={each.lastBackupAt} now={now} />
                </td>
                <td>
                  <Ago at={each.lastVerifiedAt} now={now} />
                </td>
                <td class="number">{each.sources}</td>
                <td class="number">{size(each.bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
