import type { ListSchedules } from '../../../../../application/automation/list-schedules.ts';
import type { ListWindows } from '../../../../../application/automation/list-windows.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { MAX_WINDOWS } from '../../../../../domain/automation/maintenance-window.ts';
import { selects } from '../../../../../domain/fleet/host-selector.ts';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { offsetOf } from '../../components/paging.tsx';
import type { SignedInVisit, WebReply, WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { namesIn } from '../../server-names.ts';
import { mayOperate } from '../fleet/remedy.tsx';
import { serverPage } from '../fleet/server-frame.tsx';
import { ScheduleTable } from './schedule-table.tsx';
import { readersZone } from './week.tsx';
import { WindowRows } from './window-views.tsx';

export interface ServerScheduleDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly listSchedules: Pick<ListSchedules, 'execute'>;
  readonly listWindows: Pick<ListWindows, 'execute'>;
  readonly listServers: Pick<ListServers, 'names'>;
}

const ROWS = 50;

/** A server's schedules and maintenance windows. */
export const serverScheduleRoutes = (deps: ServerScheduleDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: '/servers/:id/schedules',
    needs: 'viewer',
    handle: (visit) => schedulesPage(deps, visit),
  },
];

async function schedulesPage(
  { getServer, listSchedules, listWindows, listServers }: ServerScheduleDeps,
  { visitor: { actor }, params, query, now, zone }: SignedInVisit,
): Promise<WebReply> {
  const server = await getServer.execute(actor, serverId(params));
  const [schedules, everyWindow] = await Promise.all([
    listSchedules.execute(actor, { limit: ROWS, offset: offsetOf(query) }, { on: server }),
    listWindows.execute(actor, { limit: MAX_WINDOWS, offset: 0 }),
  ]);
  const windows = everyWindow.items.filter(({ window }) => selects(window.selector, server));
  const names = await namesIn(listServers, actor, [
    ...schedules.items.map(({ schedule }) => schedule.selector),
    ...windows.map(({ window }) => window.selector),
  ]);
  const mayAct = mayOperate(actor, server.id);
  return serverPage(
    { server, tab: '/schedules', mayAct, live: true },
    <div class="stack">
      <Card
        title="Schedules"
        note={schedules.total}
        actions={
          mayAct ? (
            <a class="button quiet small" href={`/schedules/new?server=${server.id}`}>
              Create a schedule
            </a>
          ) : null
        }
        flush
      >
        {schedules.total === 0 ? (
          <Empty icon="calendar-clock">
            No schedule includes {server.name} yet, so you have to start its jobs manually.
          </Empty>
        ) : (
          <ScheduleTable
            schedules={schedules.items}
            names={names}
            now={now}
            zone={readersZone(zone)}
            paging={{ found: schedules, path: `/servers/${server.id}/schedules`, query }}
          />
        )}
      </Card>
      <Card
        title="Maintenance windows"
        note={windows.length}
        actions={
          mayAct ? (
            <a class="button quiet small" href={`/windows/new?server=${server.id}`}>
              Add a window
            </a>
          ) : null
        }
        flush
      >
        {windows.length === 0 ? (
          <Empty icon="wrench">No window applies to {server.name}: it can be changed at any time.</Empty>
        ) : (
          <WindowRows
            {...{ windows, names, now }}
            zone={readersZone(zone)}
            mayAct={mayOperate(actor, 'all servers')}
          />
        )}
      </Card>
    </div>,
  );
}
