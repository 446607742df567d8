import type { ListNotifications } from '../../../../../application/events/list-notifications.ts';
import type { ManageAlerts } from '../../../../../application/events/manage-alerts.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { DAY, HOUR, type Instant, toMinute } from '../../../../../domain/base/instant.ts';
import { NOTIFICATION_ORDERS } from '../../../../../domain/base/list-orders.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { Mute } from '../../../../../domain/events/alert-policy.ts';
import { EVENT_TITLES, SEVERITIES } from '../../../../../domain/events/event.ts';
import {
  NOTIFICATION_KINDS,
  type Notification,
  notificationNotFound,
} from '../../../../../domain/events/notification.ts';
import { BulkBar } from '../../components/bulk-bar.tsx';
import { Chips, FilterChoice } from '../../components/filter-bar.tsx';
import { Icon } from '../../components/icon.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { sortingOf } from '../../components/sorting.ts';
import { idOf } from '../../form-state.ts';
import {
  done,
  page,
  redirect,
  type SignedInVisit,
  type Undo,
  type WebReply,
  type WebRoute,
} from '../../route.ts';
import { mayOperate } from '../fleet/remedy.tsx';
import { AlertGroups } from './alert-groups.tsx';
import { AlertSettings, NoAlerts, openWords, TABS, type Tab } from './alert-head.tsx';
import { AlertTable, KIND_WORDS } from './alert-table.tsx';
import { ALERTS_PATH } from './alerts-paths.ts';

export interface NotificationDeps {
  readonly listNotifications: Pick<ListNotifications, 'execute'>;
  readonly manageAlerts: Pick<ManageAlerts, 'acknowledge' | 'mute'>;
}

export const LIST_PATH = '/notifications';
const PATH = LIST_PATH;
export const MUTE_PATH = `${PATH}/mute`;
const ROWS = 50;

/** Alerts that are grouped, and that a bulk action changes; the next ones after another click. */
const MAX_ALERTS = 500;
const PAGE = 100;
const BULK = 'bulk-alerts';
const BULK_PATH = `${PATH}/bulk`;

const MUTE_FOR: Readonly<Record<string, number | null>> = {
  '8h': 8 * HOUR,
  '1d': DAY,
  '7d': 7 * DAY,
  ever: null,
};

export const MUTE_WORDS: readonly (readonly [string, string])[] = [
  ['8h', 'For 8 hours'],
  ['1d', 'For a day'],
  ['7d', 'For a week'],
  ['ever', 'Until unmuted'],
];

/** Alerts, and acknowledging them. */
export const notificationRoutes = (deps: NotificationDeps): readonly WebRoute[] => [
  ...listRoutes(PATH, 'viewer', (visit) => listPage(deps, visit)),
  {
    method: 'POST',
    path: `${PATH}/:id/acknowledge`,
    needs: 'operator',
    handle: async ({ visitor, params }) => {
      const { title } = await deps.manageAlerts.acknowledge(visitor.actor, notificationId(params['id']));
      return done(PATH, title);
    },
  },
  { method: 'POST', path: BULK_PATH, needs: 'operator', handle: (visit) => act(deps, visit) },
  {
    method: 'POST',
    path: MUTE_PATH,
    needs: 'operator',
    handle: async ({ visitor, form, now }) => {
      const span = MUTE_FOR[form.get('for') ?? ''];
      if (span === undefined) throw new InvalidInput([{ path: '/for', message: 'Choose how long to mute.' }]);
      const muted = await deps.manageAlerts.mute(visitor.actor, {
        kind: form.get('kind') ?? '',
        serverId: idOf(form.get('server_id') ?? ''),
        until: span === null ? null : now + span,
      });
      const about = `${muted.kind === null ? 'all' : KIND_WORDS[muted.kind]}${untilWords(muted.until)}`;
      return { ...done(PATH, about), undo: unmute(muted) };
    },
  },
];

const unmute = ({ id }: Mute): Undo => ({
  action: `${ALERTS_PATH}/mutes/${id}/remove`,
  fields: { back: [PATH] },
});

const untilWords = (until: Instant | null): string => (until === null ? '' : ` until ${toMinute(until)}`);

function notificationId(raw: string | undefined): number {
  const id = idOf(raw);
  if (id === null) throw notificationNotFound(0);
  return id;
}

function filterOf(query: URLSearchParams) {
  const tab = (Object.keys(TABS) as Tab[]).find((each) => each === query.get('state')) ?? '';
  const kind = NOTIFICATION_KINDS.find((each) => each === query.get('kind'));
  const minSeverity = SEVERITIES.find((each) => each === query.get('min_severity'));
  const { label: _, ...states } = TABS[tab];
  return { tab, kind, filter: { ...states, ...(kind && { kind }), ...(minSeverity && { minSeverity }) } };
}

/** Acknowledges or mutes the selected alerts, or all that match. */
async function act(deps: NotificationDeps, { visitor, form, now }: SignedInVisit): Promise<WebReply> {
  const { actor } = visitor;
  const action = form.get('action');
  if (action !== 'acknowledge' && action !== 'mute')
    throw new InvalidInput([{ path: '/action', message: 'Choose acknowledge or mute.' }]);
  const { filter, kind } = filterOf(form);
  const isAll = form.get('all') === 'yes';
  const span = MUTE_FOR[form.get('for') ?? ''];
  if (action === 'mute' && span === undefined)
    throw new InvalidInput([{ path: '/for', message: 'Choose how long to mute.' }]);
  const until = span === undefined || span === null ? null : now + span;
  if (action === 'mute' && isAll && kind) {
    const muted = await deps.manageAlerts.mute(actor, { kind, serverId: null, until });
    const toast = `All alerts muted: ${KIND_WORDS[kind]}${untilWords(until)}`;
    return { ...redirect(PATH), toast, undo: unmute(muted) };
  }
  const chosen = new Set(form.getAll('ids').flatMap((raw) => idOf(raw) ?? []));
  const alerts = (await matching(deps, actor, filter)).filter(({ id }) => isAll || chosen.has(id));
  for (const { id, kind: ofAlert, serverId, state } of alerts) {
    if (action === 'mute') await deps.manageAlerts.mute(actor, { kind: ofAlert, serverId, until });
    else if (state === 'open') await deps.manageAlerts.acknowledge(actor, id);
  }
  const words = count(alerts.length, 'alert');
  const toast = action === 'mute' ? `${words} muted${untilWords(until)}` : `${words} acknowledged`;
  return { ...redirect(PATH), toast };
}

/** Up to `MAX_ALERTS`. */
async function matching(
  { listNotifications }: NotificationDeps,
  actor: Actor,
  filter: Parameters<ListNotifications['execute']>[1],
): Promise<readonly Notification[]> {
  const alerts: Notification[] = [];
  for (let offset = 0; offset < MAX_ALERTS; offset += PAGE) {
    const { items } = await listNotifications.execute(actor, filter, { limit: PAGE, offset });
    alerts.push(...items);
    if (items.length < PAGE) break;
  }
  return alerts;
}

async function listPage(deps: NotificationDeps, visit: SignedInVisit) {
  const { visitor, query } = visit;
  const { kind, filter, tab } = filterOf(query);
  const countOf = async (each: Tab): Promise<number> => {
    const { label: _, ...states } = TABS[each];
    return (await deps.listNotifications.execute(visitor.actor, states, { limit: 1, offset: 0 })).total;
  };
  const tabs = await Promise.all(
    (Object.keys(TABS) as Tab[]).map(async (each) => ({
      value: each,
      label: TABS[each].label,
      count: each === 'resolved' ? undefined : await countOf(each),
    })),
  );
  const { label: _, ...open } = TABS[''];
  const critical = await deps.listNotifications.execute(
    visitor.actor,
    { ...open, minSeverity: 'critical' },
    { limit: 1, offset: 0 },
  );
  const isGrouped = tab !== 'resolved' && kind === undefined;
  return {
    ...page(
      'notifications',
      'Alerts',
      <form method="get" action={PATH} class="filter-bar">
        <Chips name="state" options={tabs} path={PATH} query={query} isAlwaysShown />
        <details class="more-filters" open={kind !== undefined || query.has('min_severity')}>
          <summary>More filters</summary>
          <div class="filter">
            <FilterChoice
              query={query}
              name="kind"
              label="Kind"
              options={NOTIFICATION_KINDS.map((each) => ({ value: each, label: EVENT_TITLES[each] }))}
            />
            <FilterChoice
              query={query}
              name="min_severity"
              label="Minimum severity"
              options={SEVERITIES.map((each) => ({ value: each, label: each }))}
            />
            <button type="submit" class="quiet">
              Apply
            </button>
          </div>
        </details>
        {tab === '' ? null : <input type="hidden" name="state" value={tab} />}
      </form>,
    ),
    header: {
      sub: openWords(tabs[0]?.count ?? 0, critical.total),
      actions: <AlertSettings actor={visitor.actor} />,
    },
    list: isGrouped ? await groups(deps, visit, filter, tab) : await table(deps, visit, filter),
  };
}

type Filter = ReturnType<typeof filterOf>['filter'];

async function groups(deps: NotificationDeps, { visitor, now }: SignedInVisit, filter: Filter, tab: Tab) {
  const alerts = await matching(deps, visitor.actor, filter);
  if (alerts.length === 0) return <NoAlerts tab={tab} />;
  const { label: _, ...states } = TABS.acknowledged;
  const { minSeverity } = filter;
  const acknowledged =
    tab === '' ? await matching(deps, visitor.actor, { ...states, ...(minSeverity && { minSeverity }) }) : [];
  return (
    <AlertGroups
      alerts={alerts}
      acknowledged={acknowledged}
      now={now}
      state={tab}
      act={mayOperate(visitor.actor, 'any server') ? BULK_PATH : null}
      spans={MUTE_WORDS}
    />
  );
}

async function table({ listNotifications }: NotificationDeps, visit: SignedInVisit, filter: Filter) {
  const { visitor, query, now } = visit;
  const isOver = query.get('state') === 'resolved';
  const sorting = sortingOf({
    path: PATH,
    query,
    keys: NOTIFICATION_ORDERS.filter((each) => !isOver || each === 'since'),
    usual: { by: 'since', descending: true },
    largestFirst: NOTIFICATION_ORDERS,
  });
  const window = { limit: ROWS, offset: offsetOf(query) };
  const found = await listNotifications.execute(visitor.actor, filter, window, sorting.order);
  const mayAct = mayOperate(visitor.actor, 'any server');
  return (
    <>
      {mayAct && !isOver ? (
        <BulkBar
          id={BULK}
          method="post"
          action={BULK_PATH}
          noun="alerts"
          total={found.total}
          filter={Object.fromEntries(
            ['state', 'kind', 'min_severity'].map((name) => [name, query.get(name) ?? '']),
          )}
        >
          <button type="submit" name="action" value="acknowledge">
            <Icon name="check" />
            Acknowledge
          </button>
          <label class="hidden" for="mute-for">
            Mute for
          </label>
          <select id="mute-for" name="for">
            {MUTE_WORDS.map(([span, words]) => (
              <option key={span} value={span}>
                {words}
              </option>
            ))}
          </select>
          <button type="submit" name="action" value="mute">
            Mute
          </button>
        </BulkBar>
      ) : null}
      <AlertTable
        alerts={found.items}
        now={now}
        acknowledge={mayAct ? (id) => `${PATH}/${id}/acknowledge` : null}
        mute={{ action: MUTE_PATH, spans: MUTE_WORDS }}
        select={mayAct && !isOver ? BULK : undefined}
        empty="No alert matches."
        paging={{ found, path: PATH, query }}
        sorting={sorting}
        isLong={isOver}
      />
    </>
  );
}
