import {
  type ListFleetBackups,
  VERIFIED_DAYS,
} from '../../../../../application/backups/list-fleet-backups.ts';
import type { GetJobDays } from '../../../../../application/jobs/job-days.ts';
import {
  BACKUP_FILTERS,
  type BackupTotals,
  type Space,
} from '../../../../../domain/backups/backup-totals.ts';
import { BACKUP_ORDERS } from '../../../../../domain/base/list-orders.ts';
import type { JobDay } from '../../../../../domain/fleet/day-strip.ts';
import { FilterBar } from '../../components/filter-bar.tsx';
import { Meter } from '../../components/meter.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { size } from '../../components/size.ts';
import { sortingOf } from '../../components/sorting.ts';
import { page, type SignedInVisit } from '../../route.ts';
import { BackupDays, StatTile } from '../fleet/overview-tiles.tsx';
import { FleetBackupRows } from './fleet-backup-rows.tsx';

const ROWS = 25;

interface Deps {
  readonly listFleetBackups: Pick<ListFleetBackups, 'execute' | 'totals' | 'space'>;
  readonly getJobDays: Pick<GetJobDays, 'execute'>;
}

/** How the fleet is backed up. */
export async function fleetPage(deps: Deps, { visitor, query, now }: SignedInVisit) {
  const { actor } = visitor;
  const only = BACKUP_FILTERS.find((each) => each === query.get('only'));
  const q = query.get('q') ?? '';
  const usual = { by: 'last_success', descending: false } as const;
  const sorting = sortingOf({ path: '/backups', query, keys: BACKUP_ORDERS, usual });
  const { order } = sorting;
  const [found, totals, days, space] = [
    await deps.listFleetBackups.execute(actor, { only, q, order, limit: ROWS, offset: offsetOf(query) }),
    await deps.listFleetBackups.totals(actor),
    await deps.getJobDays.execute(actor, VERIFIED_DAYS),
    await deps.listFleetBackups.space(actor),
  ];
  return {
    ...page('backups', 'Backups', null),
    list:
      totals.servers === 0 ? (
        <FleetBackupRows {...{ found, now, query, sorting }} mayAct={false} />
      ) : (
        <div class="stack">
          <BackupTiles totals={totals} space={space} days={days.backups} />
          <FilterBar
            path="/backups"
            query={query}
            keep={['sort']}
            search={{ name: 'q', label: 'Search servers and sources', placeholder: 'server or source' }}
            chips={{
              name: 'only',
              options: [
                { value: '', label: 'All', count: totals.servers },
                { value: 'overdue', label: 'Overdue', count: totals.overdue },
                { value: 'failed', label: 'Failed', count: totals.failed },
                { value: 'unverified', label: 'Not verified', count: totals.unverified },
              ],
            }}
          />
          <div>
            <FleetBackupRows {...{ found, now, query, sorting }} mayAct={actor.may('jobs', 'any server')} />
          </div>
        </div>
      ),
  };
}

/** The numbers that say how the fleet is protected. */
const BackupTiles = ({
  totals: { servers, notYet, overdue, failed, unverified, bytes },
  space,
  days,
}: {
  readonly days: readonly JobDay[];
  readonly totals: BackupTotals;
  /** Of the backup directory; `null` if it is unknown. */
  readonly space: Space | null;
}) => (
  <div class="stats dense">
    <StatTile
      icon="shield-check"
      label="Protected"
      href="/backups"
      value={servers - overdue - notYet}
      unit={`/ ${servers}`}
      foot={notYet === 0 ? '' : `${notYet} not backed up yet`}
      chart={<BackupDays days={days} />}
    />
    <StatTile
      icon="clock"
      label="Overdue"
      href="/backups?only=overdue"
      value={overdue}
      foot={failed === 0 ? 'none failed' : `${failed} failed`}
    />
    <StatTile
      icon="circle-check"
      label="Verified"
      href="/backups?only=unverified"
      value={servers - unverified}
      unit={`/ ${servers}`}
      foot={`in ${VERIFIED_DAYS} days`}
    />
    <StatTile
      icon="hard-drive"
      label="Free space"
      href="/backups"
      value={space === null ? 'unknown' : size(space.free)}
      foot={<span class="unbroken">{size(bytes)} stored</span>}
      chart={
        space === null ? null : (
          <Meter
            used={space.total - space.free}
            total={space.total}
            label={`Backup directory, ${size(space.total - space.free)} of ${size(space.total)} used`}
          />
        )
      }
    />
  </div>
);
