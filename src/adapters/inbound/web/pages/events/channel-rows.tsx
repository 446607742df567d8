import type { ComponentChildren } from 'preact';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { AlertChannel } from '../../../../../domain/events/channels/alert-channel.ts';
import {
  CHANNEL_KINDS,
  type ChannelKind,
  type ChannelKindName,
  sendsEvents,
} from '../../../../../domain/events/channels/channel-kinds.ts';
import type { Delivery } from '../../../../../domain/events/delivery.ts';
import type { PushSubscription } from '../../../../../domain/events/push-subscription.ts';
import { receivers, type Webhook } from '../../../../../domain/events/webhook.ts';
import { DataTable, RowButton } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { RowActions } from '../../components/row-actions.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { Way } from '../fleet/remedy.tsx';
import { ALERTS_PATH, PUSH_PATH } from './alerts-paths.ts';
import { DeliveryState } from './delivery-rows.tsx';
import { filterText } from './event-filter.tsx';

export const webhookPath = ({ name }: Pick<Webhook, 'name'>): string =>
  `${ALERTS_PATH}/webhooks/${encodeURIComponent(name)}`;

export const channelPath = ({ name }: Pick<AlertChannel, 'name'>): string =>
  `${ALERTS_PATH}/channels/${encodeURIComponent(name)}`;

export const CHANNEL_ICONS: Readonly<Record<ChannelKindName, IconName>> = {
  email: 'mail',
  ntfy: 'smartphone',
  gotify: 'smartphone',
  slack: 'message-square',
  discord: 'message-square',
  telegram: 'send',
  matrix: 'message-square',
  teams: 'message-square',
  pushover: 'smartphone',
  apprise: 'send',
  heartbeat: 'heart-pulse',
  mqtt: 'server',
};

interface Row {
  readonly key: string;
  readonly name: string;
  readonly path: string;
  readonly kind: string;
  readonly icon: IconName;
  readonly target: string;
  readonly events: string;
  readonly state: ComponentChildren;
  /** The address that sends a test; `null` if none can be sent. */
  readonly test: string | null;
  readonly edit: string | null;
}

interface Props {
  readonly webhooks: readonly Webhook[];
  readonly channels: readonly AlertChannel[];
  /** The user's own. */
  readonly browsers: readonly PushSubscription[];
  /** The latest delivery of each channel and webhook, by its path. */
  readonly latest: ReadonlyMap<string, Delivery>;
  readonly now: Instant;
}

/** All receivers of alerts as one table. */
export const ChannelRows = ({ webhooks, channels, browsers, latest, now }: Props) => (
  <DataTable
    rows={[
      ...channels.map(channelRow),
      ...webhooks.map((webhook) => webhookRow(webhook, webhooks)),
      ...browsers.map(browserRow),
    ]}
    keyOf={({ key }) => key}
    empty={
      <Empty icon="send" title="No channels yet">
        A channel sends alerts to your phone, a chat, your mailbox or your own workflow.
      </Empty>
    }
    columns={[
      { head: 'Name', cell: ({ name, path }) => <a href={path}>{name}</a> },
      {
        head: 'Kind',
        cell: ({ kind, icon }) => (
          <span class="origin">
            <Icon name={icon} /> {kind}
          </span>
        ),
      },
      { head: 'Sends to', kind: 'code', from: 'wide', cell: ({ target }) => target },
      { head: 'Events', kind: 'text', cell: ({ events }) => events },
      {
        head: 'Last delivery',
        phone: 'line',
        cell: ({ path }) => <LastDelivery delivery={latest.get(path)} now={now} />,
      },
      { head: 'State', kind: 'state', cell: ({ state }) => state },
      {
        head: 'Actions',
        kind: 'actions',
        cell: ({ name, test, edit }) => (
          <RowActions about={name}>
            {test === null ? null : <RowButton action={test} label="Test" about={name} />}
            {edit === null ? null : <Way to={edit} label="Edit" about={name} />}
          </RowActions>
        ),
      },
    ]}
  />
);

const LastDelivery = ({
  delivery,
  now,
}: {
  readonly delivery: Delivery | undefined;
  readonly now: Instant;
}) =>
  delivery === undefined ? (
    <span class="quiet">nothing sent yet</span>
  ) : (
    <>
      <DeliveryState delivery={delivery} />{' '}
      <Ago at={delivery.lastAttemptAt ?? delivery.createdAt} now={now} />
    </>
  );

/** The events that a channel sends. */
export function channelEvents({ kind, filter }: AlertChannel): string {
  const described: ChannelKind = CHANNEL_KINDS[kind];
  return sendsEvents(described) ? filterText(filter) : described.noEvents;
}

const channelRow = (channel: AlertChannel): Row => ({
  key: `channel-${channel.id}`,
  name: channel.name,
  path: channelPath(channel),
  kind: CHANNEL_KINDS[channel.kind].title,
  icon: CHANNEL_ICONS[channel.kind],
  target: channel.shownTarget,
  events: channelEvents(channel),
  state: <ChannelState channel={channel} />,
  test: channel.enabled ? `${channelPath(channel)}/test` : null,
  edit: `${channelPath(channel)}/edit`,
});

const webhookRow = (webhook: Webhook, all: readonly Webhook[]): Row => ({
  key: `webhook-${webhook.id}`,
  name: webhook.name,
  path: webhookPath(webhook),
  kind: 'Webhook',
  icon: 'webhook',
  target: webhook.shownUrl,
  events: filterText(webhook.filter),
  state: <WebhookState webhook={webhook} all={all} />,
  test: webhook.enabled ? `${webhookPath(webhook)}/ping` : null,
  edit: webhook.origin === 'environment' ? null : `${webhookPath(webhook)}/edit`,
});

const browserRow = ({ id, filter }: PushSubscription): Row => ({
  key: `browser-${id}`,
  name: `Browser ${id}`,
  path: PUSH_PATH,
  kind: 'Your browser',
  icon: 'monitor',
  target: 'Web Push',
  events: filterText(filter),
  state: <Status tone="good">on</Status>,
  test: null,
  edit: PUSH_PATH,
});

export const ChannelState = ({ channel }: { readonly channel: AlertChannel }) =>
  channel.enabled ? <Status tone="good">on</Status> : <Status tone="off">off</Status>;

export function WebhookState({
  webhook,
  all,
}: {
  readonly webhook: Webhook;
  readonly all: readonly Webhook[];
}) {
  if (!webhook.enabled)
    return webhook.disabledBecause === 'gone' ? (
      <Status tone="bad">off: the receiver answered 410 Gone</Status>
    ) : (
      <Status tone="off">off</Status>
    );
  return receivers(all).some(({ id }) => id === webhook.id) ? (
    <Status tone="good">on</Status>
  ) : (
    <Status tone="off">inactive while other webhooks exist</Status>
  );
}
