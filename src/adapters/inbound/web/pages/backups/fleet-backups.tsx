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
import { count } from '../../../../../domain/base/spans.ts';
import type { JobDay } from '../../../../../domain/fleet/day-strip.ts';
import { FilterBar } from '../../components/filter-bar.tsx';
import { Icon } from '../../components/icon.tsx';
import { Meter } from '../../components/meter.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { ShareBar } from '../../components/share-bar.tsx';
import { size } from '../../components/size.ts';
import { sortingOf } from '../../components/sorting.ts';
import { Sparkline } from '../../components/sparkline.tsx';
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
  const mayAct = actor.may('jobs', 'any server');
  return {
    ...page('backups', 'Backups', null),
    header: {
      sub: totals.servers === 0 ? null : stateOf(totals),
      actions:
        mayAct && totals.servers > 0 ? (
          <a class="button" href="/batches/new?type=backup">
            <Icon name="database-backup" />
            Back up…
          </a>
        ) : null,
    },
    list:
      totals.servers === 0 ? (
        <FleetBackupRows {...{ found, now, query, sorting }} mayAct={false} />
      ) : (
        <div class="stack">
          <BackupTiles totals={totals} space={space} days={days.backups} />
          <section class="card">
            <dl class="strips body">
              <dt>Last {days.backups.length} days</dt>
              <dd>
                <BackupDays days={days.backups} />
              </dd>
            </dl>
          </section>
          <FilterBar
            path="/backups"
            query={query}
            keep={['sort']}
            search={{ name: 'q', label: 'Search servers and sources', placeholder: 'Server or source' }}
            chips={{
              name: 'only',
              options: [
                { value: '', label: 'All', count: totals.servers },
                { value: 'overdue', label: 'Overdue', count: totals.overdue },
                { value: 'failed', label: 'Failed', count: totals.failed },
                { value: 'unverified', label: 'Not verified', count: totals.unverified, stays: true },
              ],
            }}
          />
          <div>
            <FleetBackupRows {...{ found, now, query, sorting, mayAct }} />
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
  <div class="stats">
    <StatTile
      icon="shield-check"
      label="Protected"
      href="/backups"
      value={servers - overdue - notYet}
      unit={`/ ${servers}`}
      foot={notYet === 0 ? 'with a fresh backup' : `${notYet} not backed up yet`}
      chart={
        <ShareBar
          of="server"
          shares={[
            { tone: 'good', label: 'protected', amount: servers - overdue - notYet },
            { tone: 'bad', label: 'overdue', amount: overdue },
            { tone: 'off', label: 'not backed up yet', amount: notYet },
          ]}
        />
      }
    />
    <StatTile
      icon="clock"
      label="Overdue"
      href="/backups?only=overdue"
      value={overdue}
      tone={overdue === 0 ? undefined : 'bad'}
      unit={overdue === 1 ? 'server' : 'servers'}
      foot={failed === 0 ? 'none failed' : `${failed} failed`}
      chart={
        <Sparkline
          values={days.map((day) => day.failed)}
          label={`Failed backups a day, ${days.length} days, today ${days.at(-1)?.failed ?? 0}`}
        />
      }
    />
    <StatTile
      icon="circle-check"
      label="Servers verified"
      href="/backups?only=unverified"
      value={servers - unverified}
      unit={`/ ${servers}`}
      foot={`within ${VERIFIED_DAYS} days`}
      chart={
        <ShareBar
          of="server"
          shares={[
            { tone: 'good', label: 'verified', amount: servers - unverified },
            { tone: 'off', label: 'not verified', amount: unverified },
          ]}
        />
      }
    />
    <StatTile
      icon="hard-drive"
      label="Newest snapshots"
      href="/backups"
      value={size(bytes)}
      unit="of files"
      foot={space === null ? 'free space unknown' : `${size(space.free)} free of ${size(space.total)}`}
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

/** Such as `42 servers · 2 backups overdue · 2 failed`. */
function stateOf({ servers, notYet, overdue, failed, unverified }: BackupTotals): string {
  const faults = [
    overdue === 0 ? null : `${count(overdue, 'backup')} overdue`,
    failed === 0 ? null : `${failed} failed`,
    notYet === 0 ? null : `${count(notYet, 'server')} not backed up yet`,
    unverified === 0 ? null : `${count(unverified, 'server')} not verified in ${VERIFIED_DAYS} days`,
  ].filter((each) => each !== null);
  return faults.length === 0
    ? `All ${count(servers, 'server')} have a fresh, verified backup`
    : `${count(servers, 'server')} · ${faults.join(' · ')}`;
}
