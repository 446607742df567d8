import type { GetServer } from '../../../application/get-server.ts';
import type { ListSchedules } from '../../../application/list-schedules.ts';
import type { ListWindows } from '../../../application/list-windows.ts';
import type { ManageWindows } from '../../../application/manage-windows.ts';
import { selects } from '../../../domain/host-selector.ts';
import { HOUR } from '../../../domain/instant.ts';
import { MOST_WINDOWS, windowNotFound } from '../../../domain/maintenance-window.ts';
import { covers } from '../../../domain/role.ts';
import type { Server } from '../../../domain/server.ts';
import { blaming, numberOf, submit, textOf } from '../form-state.ts';
import { redirect, type SignedInVisit, type WebReply, type WebRoute } from '../route.ts';
import { serverId } from '../server-id.ts';
import { Field, FormFault, type FormState, NEW_FORM } from '../views/form.tsx';
import { mayOperate } from '../views/mend.tsx';
import { offsetOf, Paging } from '../views/paging.tsx';
import { ScheduleRows, WindowRows } from '../views/schedule-rows.tsx';
import { serverPage } from '../views/server-frame.tsx';

export interface ServerScheduleDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly listSchedules: Pick<ListSchedules, 'execute'>;
  readonly listWindows: Pick<ListWindows, 'execute'>;
  readonly manageWindows: Pick<ManageWindows, 'add' | 'remove'>;
}

const PATH = '/servers/:id/schedules';
const ROWS = 50;

/** What is done on a server by itself, and when it may be changed. */
export function serverScheduleRoutes(deps: ServerScheduleDeps): readonly WebRoute[] {
  const server = ({ visitor, params }: SignedInVisit): Promise<Server> =>
    deps.getServer.execute(visitor.actor, serverId(params));
  return [
    {
      method: 'GET',
      path: PATH,
      needs: 'viewer',
      handle: async (visit) => schedulesPage(deps, visit, await server(visit), NEW_FORM),
    },
    {
      method: 'POST',
      path: '/servers/:id/windows',
      needs: 'administrator',
      handle: async (visit) => {
        const on = await server(visit);
        const { form, visitor } = visit;
        return submit(
          form,
          async () => {
            await blaming({ name_taken: '/name' }, () =>
              deps.manageWindows.add(visitor.actor, {
                name: textOf(form, 'name'),
                selector: { ids: [on.id] },
                opens: { expression: textOf(form, 'cron'), timeZone: textOf(form, 'zone') },
                // What is no number is too short.
                durationMs: (numberOf(form, 'hours') || 0) * HOUR,
              }),
            );
            return redirect(`/servers/${on.id}/schedules`);
          },
          (state) => schedulesPage(deps, visit, on, state, 422),
        );
      },
    },
    {
      method: 'POST',
      path: '/servers/:id/windows/:window/remove',
      needs: 'administrator',
      handle: async (visit) => {
        const on = await server(visit);
        const name = visit.params['window'] ?? '';
        // Others' windows are not for this page to take away.
        if (!(await windowsOf(deps, visit, on)).some((each) => each.window.name === name && isAlone(each))) {
          throw windowNotFound(`"${name.slice(0, 60)}"`);
        }
        await deps.manageWindows.remove(visit.visitor.actor, name);
        return redirect(`/servers/${on.id}/schedules`);
      },
    },
  ];
}

type WindowStates = Awaited<ReturnType<ListWindows['execute']>>['items'];

const isAlone = ({ window }: WindowStates[number]): boolean =>
  window.selector.by === 'ids' && window.selector.ids.length === 1;

async function windowsOf({ listWindows }: ServerScheduleDeps, { visitor }: SignedInVisit, server: Server) {
  const all = await listWindows.execute(visitor.actor, { limit: MOST_WINDOWS, offset: 0 });
  return all.items.filter(({ window }) => selects(window.selector, server));
}

async function schedulesPage(
  deps: ServerScheduleDeps,
  visit: SignedInVisit,
  server: Server,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const { visitor, query, now } = visit;
  const { actor } = visitor;
  const [schedules, windows] = await Promise.all([
    deps.listSchedules.execute(actor, { limit: ROWS, offset: offsetOf(query) }, server),
    windowsOf(deps, visit, server),
  ]);
  const mayDecide = actor.role !== null && covers(actor.role, 'administrator');
  return serverPage(
    { server, tab: '/schedules', mayAct: mayOperate(actor), status },
    <>
      <ScheduleRows schedules={schedules.items} server={server} />
      <Paging found={schedules} path={`/servers/${server.id}/schedules`} query={query} />
      <h2>Maintenance windows</h2>
      <WindowRows
        windows={windows}
        now={now}
        remove={(each) =>
          mayDecide && isAlone(each) ? `/servers/${server.id}/windows/${each.window.name}/remove` : null
        }
      />
      {mayDecide ? <WindowForm server={server} state={state} /> : null}
    </>,
  );
}

const WindowForm = ({ server, state }: { readonly server: Server; readonly state: FormState }) => (
  <form method="post" action={`/servers/${server.id}/windows`} class="column">
    <h2>Add a window for {server.name} alone</h2>
    <p class="help">
      From then on jobs that change {server.name} start only while one of its windows is open.
    </p>
    <FormFault state={state} />
    <Field state={state} name="name" label="Name" />
    <Field
      state={state}
      name="cron"
      path="/cron"
      label="Opens"
      placeholder="0 2 * * 0"
      help="Minute, hour, day of the month, month and day of the week: 0 2 * * 0 is Sundays at two."
    />
    <Field
      state={state}
      name="zone"
      path="/time_zone"
      label="Time zone"
      value="UTC"
      help="Such as Europe/Berlin."
    />
    <Field state={state} name="hours" path="/duration" label="Open for hours" value="2" inputmode="numeric" />
    <button type="submit">Add the window</button>
  </form>
);
