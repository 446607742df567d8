import type { ListNotifications } from '../../../../../application/events/list-notifications.ts';
import type { ManageAlerts } from '../../../../../application/events/manage-alerts.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { DAY, HOUR, type Instant, toMinute } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { Mute } from '../../../../../domain/events/alert-policy.ts';
import { SEVERITIES } from '../../../../../domain/events/event.ts';
import { NOTIFICATION_KINDS, type Notification } from '../../../../../domain/events/notification.ts';
import { idOf } from '../../form-state.ts';
import { redirect, type SignedInVisit, type Undo, type WebReply } from '../../route.ts';
import { TABS, type Tab } from './alert-head.tsx';
import { KIND_WORDS } from './alert-table.tsx';
import { ALERTS_PATH } from './alerts-paths.ts';

export interface NotificationDeps {
  readonly listNotifications: Pick<ListNotifications, 'execute'>;
  readonly listServers: Pick<ListServers, 'counts' | 'execute'>;
  readonly manageAlerts: Pick<ManageAlerts, 'acknowledge' | 'reopen' | 'mute'>;
}

export const LIST_PATH = '/notifications';
const PATH = LIST_PATH;
/** Alerts that are grouped, and that a bulk action changes; the next ones after another click. */
const MAX_ALERTS = 500;
const PAGE = 100;
export const BULK_PATH = `${PATH}/bulk`;
/** Alerts that an undo reopens: their ids travel in a cookie. */
const MAX_REOPENED = 40;

export const MUTE_FOR: Readonly<Record<string, number | null>> = {
  '8h': 8 * HOUR,
  '1d': DAY,
  '7d': 7 * DAY,
  ever: null,
};

export const unmute = ({ id }: Mute): Undo => ({
  action: `${ALERTS_PATH}/mutes/${id}/remove`,
  fields: { back: [PATH] },
});

export const reopen = (ids: readonly number[]): Undo => ({
  action: BULK_PATH,
  fields: { action: ['reopen'], state: ['acknowledged'], ids: ids.map(String) },
});

export const untilWords = (until: Instant | null): string =>
  until === null ? '' : ` until ${toMinute(until)}`;

export function filterOf(query: URLSearchParams) {
  const tab = (Object.keys(TABS) as Tab[]).find((each) => each === query.get('state')) ?? '';
  const kind = NOTIFICATION_KINDS.find((each) => each === query.get('kind'));
  const minSeverity = SEVERITIES.find((each) => each === query.get('min_severity'));
  const { label: _, ...states } = TABS[tab];
  return { tab, kind, filter: { ...states, ...(kind && { kind }), ...(minSeverity && { minSeverity }) } };
}

const PAST = { acknowledge: 'acknowledged', reopen: 'reopened' } as const;

/** Acknowledges, reopens or mutes the selected alerts, or all that match. */
export async function act(deps: NotificationDeps, { visitor, form, now }: SignedInVisit): Promise<WebReply> {
  const { actor } = visitor;
  const action = form.get('action');
  if (action !== 'acknowledge' && action !== 'reopen' && action !== 'mute')
    throw new InvalidInput([{ path: '/action', message: 'Choose acknowledge, reopen or mute.' }]);
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
  const acknowledged: number[] = [];
  for (const { id, kind: ofAlert, serverId, state } of alerts) {
    if (action === 'mute') await deps.manageAlerts.mute(actor, { kind: ofAlert, serverId, until });
    else if (action === 'reopen') await deps.manageAlerts.reopen(actor, id);
    else if (state === 'open') acknowledged.push((await deps.manageAlerts.acknowledge(actor, id)).id);
  }
  const words = count(alerts.length, 'alert');
  const toast = action === 'mute' ? `${words} muted${untilWords(until)}` : `${words} ${PAST[action]}`;
  const hasUndo = acknowledged.length > 0 && acknowledged.length <= MAX_REOPENED;
  return { ...redirect(PATH), toast, ...(hasUndo ? { undo: reopen(acknowledged) } : {}) };
}

/** Up to `MAX_ALERTS`. */
export async function matching(
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
