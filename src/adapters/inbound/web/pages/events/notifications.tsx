import type { ListNotifications } from '../../../../../application/events/list-notifications.ts';
import type { ManageAlerts } from '../../../../../application/events/manage-alerts.ts';
import { covers } from '../../../../../domain/access/role.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { DAY, HOUR } from '../../../../../domain/base/instant.ts';
import { EVENT_TITLES, SEVERITIES } from '../../../../../domain/events/event.ts';
import { NOTIFICATION_KINDS, notificationNotFound } from '../../../../../domain/events/notification.ts';
import { Chips, FilterChoice } from '../../components/filter-bar.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { idOf } from '../../form-state.ts';
import { page, redirect, type SignedInVisit, type WebRoute } from '../../route.ts';
import { AlertTable } from './alert-table.tsx';

export interface NotificationDeps {
  readonly listNotifications: Pick<ListNotifications, 'execute'>;
  readonly manageAlerts: Pick<ManageAlerts, 'acknowledge' | 'mute'>;
}

const PATH = '/notifications';
export const MUTE_PATH = `${PATH}/mute`;
const ROWS = 50;

/** Resolved alerts have to be selected; the rest is shown. */
const STATES = {
  now: ['open', 'acknowledged'],
  open: ['open'],
  acknowledged: ['acknowledged'],
  resolved: ['resolved'],
} as const;

const STATE_WORDS: Readonly<Record<keyof typeof STATES, string>> = {
  now: 'All open',
  open: 'Not acknowledged',
  acknowledged: 'Acknowledged',
  resolved: 'Resolved',
};

export const MUTE_FOR: Readonly<Record<string, number | null>> = {
  '8h': 8 * HOUR,
  '1d': DAY,
  '7d': 7 * DAY,
  ever: null,
};

/** Alerts, and acknowledging them. */
export const notificationRoutes = (deps: NotificationDeps): readonly WebRoute[] => [
  ...listRoutes(PATH, 'viewer', (visit) => listPage(deps, visit)),
  {
    method: 'POST',
    path: `${PATH}/:id/acknowledge`,
    needs: 'operator',
    handle: async ({ visitor, params }) => {
      await deps.manageAlerts.acknowledge(visitor.actor, notificationId(params['id']));
      return redirect(PATH);
    },
  },
  {
    method: 'POST',
    path: MUTE_PATH,
    needs: 'operator',
    handle: async ({ visitor, form, now }) => {
      const span = MUTE_FOR[form.get('for') ?? ''];
      if (span === undefined) throw new InvalidInput([{ path: '/for', message: 'Choose how long to mute.' }]);
      await deps.manageAlerts.mute(visitor.actor, {
        kind: form.get('kind') ?? '',
        serverId: idOf(form.get('server_id') ?? ''),
        until: span === null ? null : now + span,
      });
      return redirect(PATH);
    },
  },
];

function notificationId(raw: string | undefined): number {
  const id = idOf(raw);
  if (id === null) throw notificationNotFound(0);
  return id;
}

async function listPage({ listNotifications }: NotificationDeps, { visitor, query, now }: SignedInVisit) {
  const state = (Object.keys(STATES) as (keyof typeof STATES)[]).find((each) => each === query.get('state'));
  const kind = NOTIFICATION_KINDS.find((each) => each === query.get('kind'));
  const minSeverity = SEVERITIES.find((each) => each === query.get('min_severity'));
  const filter = {
    states: STATES[state ?? 'now'],
    ...(kind && { kind }),
    ...(minSeverity && { minSeverity }),
  };
  const found = await listNotifications.execute(visitor.actor, filter, {
    limit: ROWS,
    offset: offsetOf(query),
  });
  const { role } = visitor.actor;
  return {
    ...page(
      'notifications',
      'Notifications',
      <form method="get" action={PATH} class="filter-bar">
        <Chips
          name="state"
          options={Object.entries(STATE_WORDS).map(([value, label]) => ({
            value: value === 'now' ? '' : value,
            label,
          }))}
          path={PATH}
          query={query}
        />
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
        {state === undefined ? null : <input type="hidden" name="state" value={state} />}
        <button type="submit" class="quiet">
          Apply
        </button>
      </form>,
    ),
    list: (
      <AlertTable
        alerts={found.items}
        now={now}
        acknowledge={role !== null && covers(role, 'operator') ? (id) => `${PATH}/${id}/acknowledge` : null}
        mute={{ action: MUTE_PATH, spans: Object.keys(MUTE_FOR) }}
        empty={state === undefined && kind === undefined ? 'No open alerts.' : 'No alert matches.'}
        paging={{ found, path: PATH, query }}
      />
    ),
  };
}
