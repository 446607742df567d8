import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { NOTIFICATION_ORDERS } from '../../../../../domain/base/list-orders.ts';
import { EVENT_TITLES, SEVERITIES } from '../../../../../domain/events/event.ts';
import {
  DISK_NEARLY_FULL,
  NOTIFICATION_KINDS,
  notificationNotFound,
} from '../../../../../domain/events/notification.ts';
import { BulkBar } from '../../components/bulk-bar.tsx';
import { Chips, FilterChoice, MoreFilters } from '../../components/filter-bar.tsx';
import { Icon } from '../../components/icon.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { sortingOf } from '../../components/sorting.ts';
import { idOf } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebRoute } from '../../route.ts';
import { diskPart } from '../fleet/need-pill.tsx';
import { mayOperate } from '../fleet/remedy.tsx';
import {
  act,
  BULK_PATH,
  filterOf,
  LIST_PATH,
  MUTE_FOR,
  matching,
  type NotificationDeps,
  reopen,
  unmute,
  untilWords,
} from './alert-actions.ts';
import { AlertGroups } from './alert-groups.tsx';
import { AlertSettings, NoAlerts, OpenWords, TABS, type Tab } from './alert-head.tsx';
import { AlertTable, KIND_WORDS } from './alert-table.tsx';

const PATH = LIST_PATH;
export const MUTE_PATH = `${PATH}/mute`;
const ROWS = 50;
const MAX_DISKS = 100;

const BULK = 'bulk-alerts';
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
      const { id, title } = await deps.manageAlerts.acknowledge(visitor.actor, notificationId(params['id']));
      return { ...done(PATH, title), undo: reopen([id]) };
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

function notificationId(raw: string | undefined): number {
  const id = idOf(raw);
  if (id === null) throw notificationNotFound(0);
  return id;
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
        <MoreFilters set={[kind, query.get('min_severity')].filter(Boolean).length}>
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
        </MoreFilters>
        {tab === '' ? null : <input type="hidden" name="state" value={tab} />}
      </form>,
    ),
    hasParts: true,
    header: {
      sub: tabs[0]?.count ? <OpenWords open={tabs[0].count} critical={critical.total} /> : null,
      actions: <AlertSettings actor={visitor.actor} />,
    },
    list: isGrouped ? await groups(deps, visit, filter, tab) : await table(deps, visit, filter),
  };
}

type Filter = ReturnType<typeof filterOf>['filter'];

async function groups(deps: NotificationDeps, { visitor, now }: SignedInVisit, filter: Filter, tab: Tab) {
  const alerts = await matching(deps, visitor.actor, filter);
  if (alerts.length === 0) {
    const needs = tab === '' ? await deps.listServers.counts(visitor.actor, {}) : null;
    return <NoAlerts tab={tab} needs={needs} />;
  }
  const { label: _, ...states } = TABS.acknowledged;
  const { minSeverity } = filter;
  const acknowledged =
    tab === '' ? await matching(deps, visitor.actor, { ...states, ...(minSeverity && { minSeverity }) }) : [];
  const full = alerts.some(({ variant }) => variant === DISK_NEARLY_FULL)
    ? await deps.listServers.execute(visitor.actor, { need: 'disk_full', limit: MAX_DISKS, offset: 0 })
    : null;
  return (
    <AlertGroups
      alerts={alerts}
      disks={new Map(full?.items.map((server) => [server.id, diskPart(server) ?? '']))}
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
