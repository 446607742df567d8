import { DAY } from '../../domain/base/instant.ts';
import type { AlertChannel } from '../../domain/events/channels/alert-channel.ts';
import type { FieldValues } from '../../domain/events/channels/channel-kind.ts';
import {
  CHANNEL_KINDS,
  type ChannelKind,
  type ChannelKindName,
  isChannelKind,
} from '../../domain/events/channels/channel-kinds.ts';
import { type ChannelMessage, MAX_TEXT, messageOf } from '../../domain/events/channels/channel-message.ts';
import { digestOf } from '../../domain/events/channels/digest-message.ts';
import type { Attempt } from '../../domain/events/delivery.ts';
import { isAtLeast, isRecovery } from '../../domain/events/event.ts';
import { UseCase } from '../base/use-case.ts';
import type { SecretBox } from '../ports/base/secret-box.ts';
import type { ChannelTarget } from '../ports/events/channel-sender.ts';
import type { DueDelivery } from '../ports/events/delivery-store.ts';
import type { DeliveryChannel, OpenTarget } from './deliver-messages.ts';
import { isShared, sentAt } from './message-timing.ts';

export const channelPlace = (row: number) => ({ table: 'alert_channels', column: 'secrets', row });

/** The most events that one message takes. */
const MAX_TOGETHER = 200;

/** Messages that people read: in chats, on phones, by e-mail. */
export class PeopleChannel
  extends UseCase<
    | 'channelSender'
    | 'box'
    | 'alertChannels.list'
    | 'alertChannels.messagesAbout'
    | 'alertChannels.keepMessage'
    | 'alertChannels.forgetMessages'
    | 'bodies.link'
    | 'cron.next'
  >
  implements DeliveryChannel
{
  async open(targetId: number): Promise<OpenTarget | null> {
    const found = (await this.deps.alertChannels.list()).find(({ id }) => id === targetId);
    if (!found?.enabled) return null;
    const { name, kind, allowPrivate } = found;
    const { timing } = found;
    const { bodies, cron, channelSender } = this.deps;
    const target = {
      kind,
      values: { ...found.fields, ...channelSecrets(found, this.deps.box) },
      allowPrivate,
    };
    const message = ({ event }: DueDelivery): ChannelMessage => messageOf(event, bodies.link(event));
    return {
      name: `channel ${name}`,
      send: (delivery, signal) => this.#send(found, target, message(delivery), signal),
      gathers: {
        most: MAX_TOGETHER,
        sentAt: (delivery, now) => sentAt(cron, timing, delivery, now),
        isShared: (delivery) => isShared(cron, timing, delivery),
        send: async ([first, ...others], signal) => {
          const most = longestOf(kind);
          const link = bodies.link({ serverId: null, jobId: null });
          const digest = digestOf([message(first), ...others.map(message)], { most, link });
          const sent = await channelSender.send(target, digest, signal);
          if (sent.result === 'delivered') await this.#resolved(targetId, [first, ...others]);
          return sent;
        },
      },
      gone: async () => {},
    };
  }

  /** One message per problem: replaces the one that was sent, unless the problem has become worse. */
  async #send(
    { id }: AlertChannel,
    target: ChannelTarget,
    message: ChannelMessage,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const { channelSender, alertChannels } = this.deps;
    const { problem, severity, at } = message;
    if (problem === null) return channelSender.send(target, message, signal);
    const isOver = isRecovery(message);
    const before = (await alertChannels.messagesAbout([problem])).find(({ channelId }) => channelId === id);
    const isUpdate =
      before && isAtLeast(before.severity, severity) && (isOver || at - before.at < IN_PLACE_MS);
    const replaced = isUpdate ? await channelSender.replace(target, before.ref, message, signal) : null;
    const sent = replaced ?? (await channelSender.send(target, message, signal));
    if (sent.result !== 'delivered') return sent;
    if (isOver) await alertChannels.forgetMessages(id, before ? [problem] : []);
    else if (replaced === null && 'ref' in sent && typeof sent.ref === 'string')
      await alertChannels.keepMessage({ channelId: id, problem, ref: sent.ref, severity, at });
    return sent;
  }

  /** What a digest resolved is not updated in place: the next message about it is a new one. */
  async #resolved(channelId: number, deliveries: readonly DueDelivery[]): Promise<void> {
    const over = deliveries.flatMap(({ event }) =>
      isRecovery(event) && event.problem ? [event.problem] : [],
    );
    await this.deps.alertChannels.forgetMessages(channelId, over);
  }
}

/** How long a message is updated: a later one about the same problem is a new message. */
const IN_PLACE_MS = 7 * DAY;

/** A newer version may know more kinds. */
function longestOf(name: ChannelKindName): number {
  const kind: ChannelKind | undefined = isChannelKind(name) ? CHANNEL_KINDS[name] : undefined;
  return kind?.longest ?? MAX_TEXT;
}

/** Throws `secret_unreadable`. */
export const channelSecrets = ({ id, sealedSecrets }: AlertChannel, box: SecretBox): FieldValues =>
  JSON.parse(box.open(sealedSecrets, channelPlace(id))) as FieldValues;
