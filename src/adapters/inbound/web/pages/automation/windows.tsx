import type { ListWindows } from '../../../../../application/automation/list-windows.ts';
import type { ManageWindows } from '../../../../../application/automation/manage-windows.ts';
import type { PreviewTimes } from '../../../../../application/automation/preview-times.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { DefaultTimeZone } from '../../../../../application/service/default-time-zone.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import {
  MAX_WINDOWS,
  nameProblems,
  type WindowDescription,
  type WindowState,
  windowNotFound,
} from '../../../../../domain/automation/maintenance-window.ts';
import { type InputProblem, InvalidInput } from '../../../../../domain/base/errors.ts';
import { HOUR, type Instant } from '../../../../../domain/base/instant.ts';
import { count, duration } from '../../../../../domain/base/spans.ts';
import { AddLink } from '../../components/add-link.tsx';
import { FormFault, type FormState } from '../../components/form.tsx';
import { idOf, noting, textOf } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { cronOf } from '../../schedule-request.ts';
import { namesIn, selectorFields, selectorOf } from '../../server-names.ts';
import { mayOperate } from '../fleet/remedy.tsx';
import { selectorChoices } from './selector-fields.tsx';
import { selectorRoutes } from './selector-routes.ts';
import { readersZone, weekOf } from './week.tsx';
import { WindowForm, WindowRows } from './window-views.tsx';

export interface WindowDeps {
  readonly defaultTimeZone: Pick<DefaultTimeZone, 'get'>;
  readonly listWindows: Pick<ListWindows, 'execute'>;
  readonly manageWindows: Pick<ManageWindows, 'add' | 'edit' | 'enable' | 'remove'>;
  readonly listServers: Pick<ListServers, 'execute' | 'tags' | 'names'>;
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly previewTimes: Pick<PreviewTimes, 'execute' | 'until'>;
}

const PATH = '/windows';

/** When servers may be changed. */
export const windowRoutes = (deps: WindowDeps): readonly WebRoute[] => [
  ...selectorRoutes<WindowState>({
    path: PATH,
    getServer: deps.getServer,
    list: (visit) => listPage(deps, visit),
    find: (visit) => windowOf(deps, visit),
    form: (actor, state, before, status) => formPage(deps, actor, state, before, status),
    fieldsOf: (actor, before) => fieldsOf(deps, actor, before),
    add: async (actor, form) =>
      (await deps.manageWindows.add(actor, await described(deps, actor, form))).window.name,
    edit: async (actor, { window }, form) =>
      (await deps.manageWindows.edit(actor, window.id, await described(deps, actor, form))).window.name,
    async remove(actor, { window }) {
      await deps.manageWindows.remove(actor, window.name);
      return window.name;
    },
  }),
  ...([true, false] as const).map(
    (enabled): WebRoute => ({
      method: 'POST',
      path: `${PATH}/:id/${enabled ? 'enable' : 'disable'}`,
      needs: 'operator',
      handle: async (visit) => {
        const { window } = await windowOf(deps, visit);
        await deps.manageWindows.enable(visit.visitor.actor, window.name, enabled);
        return done(PATH, window.name);
      },
    }),
  ),
];

/** Throws `window_not_found`. */
async function windowOf(deps: WindowDeps, { visitor, params }: SignedInVisit): Promise<WindowState> {
  const all = await deps.listWindows.execute(visitor.actor, { limit: MAX_WINDOWS, offset: 0 });
  const found = all.items.find(({ window }) => window.id === idOf(params['id']));
  if (found === undefined) throw windowNotFound('of that number');
  return found;
}

async function described(deps: WindowDeps, actor: Actor, form: URLSearchParams): Promise<WindowDescription> {
  const problems: InputProblem[] = [];
  const raw = textOf(form, 'duration').replace(',', '.');
  const name = textOf(form, 'name');
  if (!/^\d{1,3}(\.\d{1,2})?$/.test(raw)) {
    problems.push({ path: '/duration', message: 'Enter hours, such as 3 or 1.5.' });
  }
  problems.push(...nameProblems(name));
  const opens = await noting(problems, () => cronOf(form));
  if (opens !== null) await noting(problems, () => deps.previewTimes.execute(actor, opens));
  const selector = await noting(problems, () => selectorOf(deps.listServers, actor, form));
  if (selector === null || opens === null || problems.length > 0) throw new InvalidInput(problems);
  return { name, selector, opens, durationMs: Math.round(Number(raw) * HOUR) };
}

async function fieldsOf(
  deps: WindowDeps,
  actor: Actor,
  { window: { name, selector, opens, durationMs } }: WindowState,
): Promise<URLSearchParams> {
  return new URLSearchParams({
    name,
    ...(await selectorFields((id) => deps.getServer.execute(actor, id), selector)),
    cron: opens.expression,
    time_zone: opens.timeZone,
    duration: String(Math.round((durationMs / HOUR) * 100) / 100),
  });
}

async function listPage(deps: WindowDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, now } = visit;
  const { actor } = visitor;
  const found = await deps.listWindows.execute(actor, { limit: MAX_WINDOWS, offset: 0 });
  const mayAct = mayOperate(actor, 'all servers');
  const names = await namesIn(
    deps.listServers,
    actor,
    found.items.map(({ window }) => window.selector),
  );
  const list = page(
    'jobs',
    'Maintenance windows',
    <div class="stack">
      {found.items.some(({ window }) => window.enabled) ? await weekOf(deps, visit, []) : null}
      <WindowRows windows={found.items} zone={readersZone(visit.zone)} {...{ names, now, mayAct }} />
      <p class="help">
        Servers with a window get package updates, reboots and container changes only while one of their
        windows is open. All others can be changed at any time. Backups and checks run at any time.
      </p>
    </div>,
  );
  const actions = mayAct ? <AddLink href={`${PATH}/new`}>New window</AddLink> : null;
  const sub = found.total === 0 ? null : summaryOf(found.items, now);
  return { ...list, header: { actions, sub }, live: { all: true }, hasParts: true };
}

/** Such as `2 windows · none open · next: sunday-night in 5 h`. */
function summaryOf(windows: readonly WindowState[], now: Instant): string {
  const open = windows.filter(({ openUntil }) => openUntil !== null);
  const [next] = windows
    .flatMap(({ window, openUntil, opensAt }) =>
      openUntil === null && opensAt !== null ? [{ name: window.name, at: opensAt }] : [],
    )
    .toSorted((one, other) => one.at - other.at);
  return [
    count(windows.length, 'window'),
    open.length === 0 ? 'none open' : `open: ${open.map(({ window }) => window.name).join(', ')}`,
    next === undefined ? null : `next: ${next.name} in ${duration(next.at - now)}`,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

const formPage = async (
  deps: WindowDeps,
  actor: Actor,
  state: FormState,
  before: WindowState | null,
  status = 200,
): Promise<WebReply> =>
  page(
    'jobs',
    before === null ? 'New maintenance window' : `Edit ${before.window.name}`,
    <>
      <FormFault state={state} />
      <WindowForm
        state={state}
        window={before?.window ?? null}
        choices={await selectorChoices(deps.listServers, actor)}
        zone={await deps.defaultTimeZone.get()}
      />
    </>,
    status,
  );
