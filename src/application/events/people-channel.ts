import type { AlertChannel } from '../../domain/events/channels/alert-channel.ts';
import type { FieldValues } from '../../domain/events/channels/channel-kind.ts';
import { messageOf } from '../../domain/events/channels/channel-message.ts';
import type { SecretBox } from '../ports/base/secret-box.ts';
import type { AlertChannelStore } from '../ports/events/alert-channel-store.ts';
import type { ChannelSender } from '../ports/events/channel-sender.ts';
import type { EventBodies } from '../ports/events/event-bodies.ts';
import type { DeliveryChannel, OpenTarget } from './deliver-messages.ts';

export const channelPlace = (row: number) => ({ table: 'alert_channels', column: 'secrets', row });

interface Deps {
  readonly alertChannels: Pick<AlertChannelStore, 'list'>;
  readonly channelSender: ChannelSender;
  readonly bodies: Pick<EventBodies, 'link'>;
  readonly box: SecretBox;
}

/** Messages that people read: in chats, on phones, by e-mail. */
export class PeopleChannel implements DeliveryChannel {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async open(targetId: number): Promise<OpenTarget | null> {
    const found = (await this.#deps.alertChannels.list()).find(({ id }) => id === targetId);
    if (!found?.enabled) return null;
    const { name, kind, allowPrivate } = found;
    const values = channelSecrets(found, this.#deps.box);
    return {
      name: `channel ${name}`,
      send: ({ event }, signal) =>
        this.#deps.channelSender.send(
          { kind, values: { ...found.fields, ...values }, allowPrivate },
          messageOf(event, this.#deps.bodies.link(event)),
          signal,
        ),
      gone: async () => {},
    };
  }
}

/** Throws `secret_unreadable`. */
export const channelSecrets = ({ id, sealedSecrets }: AlertChannel, box: SecretBox): FieldValues =>
  JSON.parse(box.open(sealedSecrets, channelPlace(id))) as FieldValues;
