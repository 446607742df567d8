import {
  type ListSchedules,
  SCHEDULE_ORDERS,
  type ScheduleOverview,
} from '../../../../../application/automation/list-schedules.ts';
import type { ListWindows } from '../../../../../application/automation/list-windows.ts';
import type { PreviewTimes } from '../../../../../application/automation/preview-times.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { DefaultTimeZone } from '../../../../../application/service/default-time-zone.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { count, duration } from '../../../../../domain/base/spans.ts';
import { staysWithin } from '../../../../../domain/fleet/host-selector.ts';
import { AddLink } from '../../components/add-link.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { sortingOf } from '../../components/sorting.ts';
import { page, type SignedInVisit } from '../../route.ts';
import { namesIn } from '../../server-names.ts';
import { mayOperate } from '../fleet/remedy.tsx';
import { SCHEDULE_BULK, ScheduleBulkBar } from './schedule-bulk.tsx';
import { ScheduleTable } from './schedule-table.tsx';
import { readersZone, weekOf } from './week.tsx';

export interface ScheduleListDeps {
  readonly defaultTimeZone: Pick<DefaultTimeZone, 'get'>;
  readonly listSchedules: Pick<ListSchedules, 'execute'>;
  readonly listWindows: Pick<ListWindows, 'execute'>;
  readonly previewTimes: Pick<PreviewTimes, 'until'>;
  readonly listServers: Pick<ListServers, 'names'>;
}

export const SCHEDULES_PATH = '/schedules';
const ROWS = 50;

/** Of `listRoutes`. */
export async function scheduleList(deps: ScheduleListDeps, visit: SignedInVisit) {
  const { visitor, query, now } = visit;
  const { actor } = visitor;
  const usual = { by: 'name', descending: false } as const;
  const sorting = sortingOf({ path: SCHEDULES_PATH, query, keys: SCHEDULE_ORDERS, usual });
  const window = { limit: ROWS, offset: offsetOf(query) };
  const found = await deps.listSchedules.execute(actor, window, {}, sorting.order);
  const head = page(
    'jobs',
    'Schedules',
    found.total === 0 ? null : <div class="above week-first">{await weekOf(deps, visit, found.items)}</div>,
  );
  const paging = { found, path: SCHEDULES_PATH, query };
  const names = await namesIn(
    deps.listServers,
    actor,
    found.items.map(({ schedule }) => schedule.selector),
  );
  const mayAct = mayOperate(actor, 'any server');
  const actions = mayAct ? <AddLink href={`${SCHEDULES_PATH}/new`}>New schedule</AddLink> : null;
  return {
    ...head,
    hasParts: true,
    header: { actions, sub: found.total === 0 ? null : summaryOf(found, now) },
    list: (
      <>
        <ScheduleTable
          {...{ now, mayAct, paging, names, sorting }}
          schedules={found.items}
          zone={readersZone(visit.zone)}
          select={mayAct ? SCHEDULE_BULK : undefined}
          mayChange={mayAct ? ({ selector }) => staysWithin(selector, actor.reach('jobs')) : undefined}
        />
        {mayAct && found.total > 0 ? <ScheduleBulkBar /> : null}
      </>
    ),
  };
}

/** Such as `4 schedules · 1 disabled · next: nightly-backup in 11 h`; of more than one page, their number alone. */
function summaryOf({ items, total }: Page<ScheduleOverview>, now: Instant): string {
  const number = count(total, 'schedule');
  if (total > items.length) return number;
  const disabled = items.filter(({ schedule }) => !schedule.enabled).length;
  const failed = items.filter(({ lastRun }) => lastRun?.result === 'failed').length;
  const [next] = items
    .flatMap(({ schedule, nextRunAt }) =>
      schedule.enabled && nextRunAt !== null ? [{ name: schedule.name, at: nextRunAt }] : [],
    )
    .toSorted((one, other) => one.at - other.at);
  return [
    number,
    disabled === 0 ? null : `${disabled} disabled`,
    failed === 0 ? null : `the last run of ${failed} had failures`,
    next === undefined ? null : `next: ${next.name} in ${duration(next.at - now)}`,
  ]
    .filter((each) => each !== null)
    .join(' · ');
}
