import type { ScheduleOverview } from '../../../../../application/automation/list-schedules.ts';
import type { ListWindows } from '../../../../../application/automation/list-windows.ts';
import type { PreviewTimes } from '../../../../../application/automation/preview-times.ts';
import { type DefaultTimeZone, isTimeZone } from '../../../../../application/service/default-time-zone.ts';
import { MAX_WINDOWS } from '../../../../../domain/automation/maintenance-window.ts';
import { DAY } from '../../../../../domain/base/instant.ts';
import type { SignedInVisit } from '../../route.ts';
import { WEEK_DAYS, WeekGrid } from './week-grid.tsx';

interface WeekDeps {
  readonly defaultTimeZone: Pick<DefaultTimeZone, 'get'>;
  readonly listWindows: Pick<ListWindows, 'execute'>;
  readonly previewTimes: Pick<PreviewTimes, 'until'>;
}

/** The zone that the browser names, if it is one. */
export const readersZone = (zone: string | null): string | null =>
  zone !== null && isTimeZone(zone) ? zone : null;

/** The next seven days of schedules and maintenance windows; of a schedule that runs more often than hourly, the first runs. On the reader's clock if it is known. */
export async function weekOf(
  { defaultTimeZone, listWindows, previewTimes }: WeekDeps,
  { visitor: { actor }, zone: own, now }: Pick<SignedInVisit, 'visitor' | 'zone' | 'now'>,
  schedules: readonly ScheduleOverview[],
) {
  const until = now + WEEK_DAYS * DAY;
  const enabled = schedules.flatMap(({ schedule }) => (schedule.enabled ? [schedule] : []));
  const marks = enabled.flatMap(({ id, name, cron }) =>
    previewTimes.until(actor, cron, { from: now, until }).map((at) => ({ id, name, at })),
  );
  const all = await listWindows.execute(actor, { limit: MAX_WINDOWS, offset: 0 });
  const windows = all.items.flatMap(({ window }) => (window.enabled ? [window] : []));
  const bands = windows.flatMap(({ name, opens, durationMs }) =>
    previewTimes
      .until(actor, opens, { from: now - durationMs, until })
      .map((from) => ({ name, from, to: from + durationMs })),
  );
  const zone =
    readersZone(own) ??
    (await defaultTimeZone.get()) ??
    enabled[0]?.cron.timeZone ??
    windows[0]?.opens.timeZone ??
    'UTC';
  return <WeekGrid {...{ marks, bands, zone, now }} />;
}
