import type { DeliveryChannel, OpenTarget } from './deliver-messages.ts';
import type { DueDelivery } from './ports/delivery-store.ts';
import type { EventBodies } from './ports/event-bodies.ts';
import type { PushKeys, PushSender } from './ports/push-sender.ts';
import type { PushStore } from './ports/push-store.ts';
import type { SecretBox } from './ports/secret-box.ts';
import type { PushIdentity } from './push-identity.ts';

export const pushPlace = (row: number) => ({ table: 'push_subscriptions', column: 'subscription', row });

/** Push services take 4 KB once encrypted. */
const LONGEST_MESSAGE = 1_000;

/** Messages to browsers. */
export class PushChannel implements DeliveryChannel {
  readonly #subscriptions: PushStore;
  readonly #sender: PushSender;
  readonly #identity: PushIdentity;
  readonly #bodies: Pick<EventBodies, 'link'>;
  readonly #box: SecretBox;

  constructor(deps: {
    subscriptions: PushStore;
    sender: PushSender;
    identity: PushIdentity;
    bodies: Pick<EventBodies, 'link'>;
    box: SecretBox;
  }) {
    this.#subscriptions = deps.subscriptions;
    this.#sender = deps.sender;
    this.#identity = deps.identity;
    this.#bodies = deps.bodies;
    this.#box = deps.box;
  }

  async open(targetId: number): Promise<OpenTarget | null> {
    const found = await this.#subscriptions.find(targetId);
    if (!found) return null;
    const subscription = JSON.parse(
      this.#box.open(found.sealedSubscription, pushPlace(found.id)),
    ) as PushKeys;
    const vapid = await this.#identity.keys();
    return {
      name: `push subscription ${found.id}`,
      send: (delivery, signal) =>
        this.#sender.send({ subscription, vapid, payload: this.#payload(delivery) }, signal),
      gone: () => this.#subscriptions.remove(found.id, {}),
    };
  }

  #payload({ event }: DueDelivery): string {
    const { uid, type, severity, title, message } = event;
    const shown = { title: title.slice(0, 200), message: message.slice(0, LONGEST_MESSAGE) };
    return JSON.stringify({ id: uid, type, severity, ...shown, link: this.#bodies.link(event) });
  }
}
