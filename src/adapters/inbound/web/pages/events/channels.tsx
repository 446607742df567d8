import type { ManageChannels } from '../../../../../application/events/manage-channels.ts';
import type { ManageDeliveries } from '../../../../../application/events/manage-deliveries.ts';
import type { ManagePush } from '../../../../../application/events/manage-push.ts';
import type { ManageWebhooks } from '../../../../../application/events/manage-webhooks.ts';
import type { WeeklyReports } from '../../../../../application/events/weekly-reports.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { AlertChannel } from '../../../../../domain/events/channels/alert-channel.ts';
import { channelNotFound } from '../../../../../domain/events/channels/channel-fields.ts';
import {
  CHANNEL_KIND_NAMES,
  CHANNEL_KINDS,
  type ChannelKindName,
  isChannelKind,
  sendsEvents,
} from '../../../../../domain/events/channels/channel-kinds.ts';
import { AT_ONCE } from '../../../../../domain/events/channels/channel-timing.ts';
import type { Delivery } from '../../../../../domain/events/delivery.ts';
import { EVERYTHING } from '../../../../../domain/events/event-filter.ts';
import { receivers, type Webhook } from '../../../../../domain/events/webhook.ts';
import { AddLink } from '../../components/add-link.tsx';
import { FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { blaming, submit } from '../../form-state.ts';
import { done, page, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { ALERTS_PATH, NEW_WEBHOOK_PATH, POLICY_PATH, PUSH_PATH } from './alerts-paths.ts';
import { ChannelFields, valuesOf } from './channel-form.tsx';
import { CHANNEL_ICONS, ChannelRows, channelPath, webhookPath } from './channel-rows.tsx';
import { timingOf } from './channel-timing-fields.tsx';
import { filterOf } from './event-filter.tsx';

export interface ChannelDeps {
  readonly manageChannels: Pick<ManageChannels, 'list' | 'find' | 'add' | 'edit' | 'setEnabled' | 'remove'>;
  readonly manageWebhooks: Pick<ManageWebhooks, 'list'>;
  readonly managePush: Pick<ManagePush, 'list'>;
  readonly manageDeliveries: Pick<ManageDeliveries, 'list' | 'pingChannel'>;
  readonly weeklyReports: Pick<WeeklyReports, 'preview'>;
}

const NEW_PATH = `${ALERTS_PATH}/new-channel`;

/** Settings, Alerts: who is sent alerts, and adding a channel. */
export const channelRoutes = (deps: ChannelDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: ALERTS_PATH,
    needs: 'viewer',
    // The settings' navigation redirects users to what they may see.
    handle: (visit) =>
      visit.visitor.actor.role === 'administrator' ? listPage(deps, visit) : redirect(POLICY_PATH),
  },
  { method: 'GET', path: NEW_PATH, needs: 'administrator', handle: () => choicePage() },
  {
    method: 'GET',
    path: `${NEW_PATH}/:kind`,
    needs: 'administrator',
    confirm: true,
    handle: ({ params }) => newPage(kindOf(params['kind']), NEW_FORM),
  },
  {
    method: 'POST',
    path: `${NEW_PATH}/:kind`,
    needs: 'administrator',
    confirm: true,
    handle: ({ form, visitor, params }) => {
      const kind = kindOf(params['kind']);
      return submit(
        form,
        async () => {
          const added = await blaming({ name_taken: '/name' }, () =>
            deps.manageChannels.add(visitor.actor, {
              name: form.get('name') ?? '',
              kind,
              values: valuesOf(form, CHANNEL_KINDS[kind]),
              allowPrivate: form.get('allow_private') === 'on',
              ...(sendsEvents(CHANNEL_KINDS[kind]) ? { ...filterOf(form), ...timingOf(form) } : {}),
            }),
          );
          return done(channelPath(added), added.name);
        },
        (state) => newPage(kind, state, 422),
      );
    },
  },
];

function kindOf(raw = ''): ChannelKindName {
  if (isChannelKind(raw)) return raw;
  throw channelNotFound('of this kind');
}

async function listPage(deps: ChannelDeps, { visitor, now }: SignedInVisit): Promise<WebReply> {
  const [webhooks, channels, browsers] = await Promise.all([
    deps.manageWebhooks.list(visitor.actor),
    deps.manageChannels.list(visitor.actor),
    deps.managePush.list(visitor.user.id),
  ]);
  const [fallback] = receivers(webhooks).filter(({ origin }) => origin === 'environment');
  const latest = await latestOf(deps, visitor.actor, { channels, webhooks });
  const reply = page(
    'settings',
    'Channels',
    <>
      {fallback === undefined ? null : (
        <p class="notice" data-fallback>
          Events go to <span class="mono">{fallback.shownUrl}</span>, set by the variable WEBHOOK_URL. It
          applies only until you add a webhook here.
        </p>
      )}
      <ChannelRows webhooks={webhooks} channels={channels} browsers={browsers} latest={latest} now={now} />
    </>,
  );
  const all = channels.length + webhooks.length + browsers.length;
  const off = [...channels, ...webhooks].filter(({ enabled }) => !enabled).length;
  return {
    ...reply,
    live: { all: true },
    header: {
      sub:
        all === 0
          ? 'No channel yet: alerts are only listed in Drover.'
          : `${count(all, 'channel')}${off === 0 ? '' : `, ${off} off`}. Each sends the events of its filter.`,
      actions: <AddLink href={NEW_PATH}>Add channel</AddLink>,
    },
  };
}

/** By the path of its receiver. */
async function latestOf(
  { manageDeliveries }: ChannelDeps,
  actor: Actor,
  {
    channels,
    webhooks,
  }: { readonly channels: readonly AlertChannel[]; readonly webhooks: readonly Webhook[] },
): Promise<ReadonlyMap<string, Delivery>> {
  const one = { limit: 1, offset: 0 };
  const asked = [
    ...channels.map((each) => [channelPath(each), { ...one, channel: each.name }] as const),
    ...webhooks.map((each) => [webhookPath(each), { ...one, webhook: each.name }] as const),
  ];
  const found = await Promise.all(
    asked.map(async ([path, query]) => {
      const [delivery] = (await manageDeliveries.list(actor, query)).items;
      return delivery === undefined ? [] : [[path, delivery] as const];
    }),
  );
  return new Map(found.flat());
}

interface Choice {
  readonly icon: IconName;
  readonly title: string;
  readonly help: string;
  readonly href: string;
}

/** Every kind, with those that have forms of their own. */
const CHOICES: readonly Choice[] = [
  ...CHANNEL_KIND_NAMES.map((name) => ({
    title: CHANNEL_KINDS[name].title,
    help: CHANNEL_KINDS[name].help,
    icon: CHANNEL_ICONS[name],
    href: `${NEW_PATH}/${name}`,
  })),
  {
    icon: 'webhook',
    title: 'Webhook',
    help: 'Signed JSON events for your own program or workflow.',
    href: NEW_WEBHOOK_PATH,
  },
  {
    icon: 'monitor',
    title: 'This browser',
    help: 'Notifications in this browser, even when Drover is not open.',
    href: PUSH_PATH,
  },
];

const choicePage = (): WebReply =>
  page(
    'settings',
    'Add channel',
    <nav class="choices" aria-label="Kinds of channels">
      {CHOICES.map(({ icon, title, help, href }) => (
        <a key={href} class="card" href={href}>
          <Icon name={icon} />
          <span>
            <strong>{title}</strong>
            <span class="help">{help}</span>
          </span>
        </a>
      ))}
    </nav>,
  );

const newPage = (name: ChannelKindName, state: FormState, status = 200): WebReply => {
  const kind = CHANNEL_KINDS[name];
  return page(
    'settings',
    `New channel: ${kind.title}`,
    <form method="post" action={`${NEW_PATH}/${name}`} class="column">
      <FormFault state={state} />
      <ChannelFields
        state={state}
        kind={kind}
        name=""
        fields={{}}
        filter={{ ...EVERYTHING, minSeverity: 'warning' }}
        timing={AT_ONCE}
        allowPrivate={false}
      />
      <p class="actions">
        <button type="submit">Add channel</button>
        <a href={NEW_PATH}>Cancel</a>
      </p>
    </form>,
    status,
  );
};
