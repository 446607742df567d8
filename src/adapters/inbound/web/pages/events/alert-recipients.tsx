import { Fragment } from 'preact';
import type { Visitor } from '../../../../../application/access/sessions.ts';
import type { ManageChannels } from '../../../../../application/events/manage-channels.ts';
import type { ManagePush } from '../../../../../application/events/manage-push.ts';
import type { ManageWebhooks } from '../../../../../application/events/manage-webhooks.ts';
import type { AlertPolicy } from '../../../../../domain/events/alert-policy.ts';
import {
  CHANNEL_KINDS,
  isChannelKind,
  sendsEvents,
} from '../../../../../domain/events/channels/channel-kinds.ts';
import { isForWebhooks, type Severity } from '../../../../../domain/events/event.ts';
import { type EventFilter, wants } from '../../../../../domain/events/event-filter.ts';
import type { NotificationKind } from '../../../../../domain/events/notification.ts';
import { severitiesOf } from '../../../../../domain/events/notification-words.ts';
import { receivers } from '../../../../../domain/events/webhook.ts';
import { PUSH_PATH } from './alerts-paths.ts';
import { channelPath, webhookPath } from './channel-rows.tsx';

export interface RecipientDeps {
  readonly manageChannels: Pick<ManageChannels, 'list'>;
  readonly manageWebhooks: Pick<ManageWebhooks, 'list'>;
  readonly managePush: Pick<ManagePush, 'list'>;
}

/** A channel that is on, or a browser of the user. */
export interface Recipient {
  readonly name: string;
  readonly path: string;
  readonly filter: EventFilter;
  readonly isWebhook: boolean;
}

/** Throws `role_missing`: administrators manage them. */
export async function recipientsFor(
  { manageChannels, manageWebhooks, managePush }: RecipientDeps,
  { actor, user }: Pick<Visitor, 'actor' | 'user'>,
): Promise<readonly Recipient[]> {
  const [channels, webhooks, browsers] = await Promise.all([
    manageChannels.list(actor),
    manageWebhooks.list(actor),
    managePush.list(user.id),
  ]);
  return [
    ...channels
      .filter(({ enabled, kind }) => enabled && (!isChannelKind(kind) || sendsEvents(CHANNEL_KINDS[kind])))
      .map((each) => ({ ...each, path: channelPath(each), isWebhook: false })),
    ...receivers(webhooks).map((each) => ({ ...each, path: webhookPath(each), isWebhook: true })),
    ...browsers.map(({ id, filter }) => ({
      name: `Browser ${id}`,
      path: PUSH_PATH,
      filter,
      isWebhook: false,
    })),
  ];
}

/** The severities that alerts of a kind have. */
export const gradesOf = ({ kind, severity }: AlertPolicy): readonly Severity[] =>
  severity === null ? severitiesOf(kind) : [severity];

/** The channels that send a rule's alerts, with the part of them that they send. */
export function SentTo({
  policy,
  recipients,
}: {
  readonly policy: AlertPolicy;
  readonly recipients: readonly Recipient[];
}) {
  const grades = gradesOf(policy);
  const sending = recipients.flatMap((each) => {
    const sent = each.isWebhook && !isForWebhooks(policy.kind) ? [] : grades.filter(isSentBy(policy, each));
    const { tags } = each.filter;
    const only = [
      ...(sent.length < grades.length ? [`only ${sent.join(', ')}`] : []),
      ...(tags === null ? [] : [`servers tagged ${tags.join(', ')}`]),
    ].join('; ');
    return sent.length === 0 ? [] : [{ ...each, only }];
  });
  if (sending.length === 0) return <span class="quiet">no channel</span>;
  return (
    <>
      {sending.map(({ name, path, only }, index) => (
        <Fragment key={name}>
          {index === 0 ? null : ', '}
          <a href={path}>{name}</a>
          {only === '' ? null : <span class="quiet"> ({only})</span>}
        </Fragment>
      ))}
    </>
  );
}

/** Filters by tags select no alert without a server. */
const WITHOUT_SERVER: readonly NotificationKind[] = [
  'updates.stopped',
  'token.expiring',
  'webhook.disabled',
  'clock.jumped',
];

const isSentBy =
  ({ kind }: AlertPolicy, { filter }: Recipient) =>
  (severity: Severity): boolean =>
    wants(filter, { type: kind, severity }, WITHOUT_SERVER.includes(kind) ? null : filter.tags);
