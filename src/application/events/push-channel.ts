import { UseCase } from '../base/use-case.ts';
import type { DueDelivery } from '../ports/events/delivery-store.ts';
import type { PushKeys } from '../ports/events/push-sender.ts';
import type { DeliveryChannel, OpenTarget } from './deliver-messages.ts';
import type { PushIdentity } from './push-identity.ts';

export const pushPlace = (row: number) => ({ table: 'push_subscriptions', column: 'subscription', row });

/** Push services take 4 KB once encrypted. */
const MAX_MESSAGE_LENGTH = 1_000;

/** Messages to browsers. */
export class PushChannel
  extends UseCase<
    'subscriptions' | 'pushSender' | 'box' | 'bodies.link',
    { readonly pushIdentity: PushIdentity }
  >
  implements DeliveryChannel
{
  async open(targetId: number): Promise<OpenTarget | null> {
    const found = await this.deps.subscriptions.find(targetId);
    if (!found) return null;
    const subscription = JSON.parse(
      this.deps.box.open(found.sealedSubscription, pushPlace(found.id)),
    ) as PushKeys;
    const vapid = await this.deps.pushIdentity.keys();
    return {
      name: `push subscription ${found.id}`,
      send: (delivery, signal) =>
        this.deps.pushSender.send({ subscription, vapid, payload: this.#payload(delivery) }, signal),
      gone: () => this.deps.subscriptions.remove(found.id, {}),
    };
  }

  #payload({ event }: DueDelivery): string {
    const { uid, type, severity, title, message } = event;
    const shown = { title: title.slice(0, 200), message: message.slice(0, MAX_MESSAGE_LENGTH) };
    return JSON.stringify({ id: uid, type, severity, ...shown, link: this.deps.bodies.link(event) });
  }
}
