import type { ManageChannels } from '../../../../../application/events/manage-channels.ts';
import type { ManageDeliveries } from '../../../../../application/events/manage-deliveries.ts';
import type { ManageWebhooks } from '../../../../../application/events/manage-webhooks.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Delivery } from '../../../../../domain/events/delivery.ts';
import { EVENT_TITLES } from '../../../../../domain/events/event.ts';
import { idOf } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { ALERTS_PATH } from './alerts-paths.ts';
import { channelPath, webhookPath } from './channel-rows.tsx';
import { DeliveryFacts } from './delivery-rows.tsx';

export const DELIVERIES = `${ALERTS_PATH}/deliveries`;
/** The user waits for the first attempt; the service retries in the background. */
export const MAX_TRY_MS = 20_000;

export interface DeliveryDeps {
  readonly manageWebhooks: Pick<ManageWebhooks, 'list'>;
  readonly manageChannels: Pick<ManageChannels, 'list'>;
  readonly manageDeliveries: Pick<ManageDeliveries, 'get' | 'resend'>;
}

/** A delivery's content, its results, and sending it again. */
export const deliveryRoutes = (deps: DeliveryDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: `${DELIVERIES}/:id`,
    needs: 'administrator',
    handle: (visit) => deliveryPage(deps, visit),
  },
  {
    method: 'POST',
    path: `${DELIVERIES}/:id/resend`,
    needs: 'administrator',
    handle: async ({ visitor, params }) => {
      const signal = AbortSignal.timeout(MAX_TRY_MS);
      const { id, event } = await deps.manageDeliveries.resend(
        visitor.actor,
        deliveryId(params['id']),
        signal,
      );
      return done(`${DELIVERIES}/${id}`, EVENT_TITLES[event.type]);
    },
  },
];

function deliveryId(raw: string | undefined): number {
  const id = idOf(raw);
  if (id !== null) return id;
  throw new DomainError('delivery_not_found', 'There is no such delivery.');
}

async function deliveryPage(deps: DeliveryDeps, { visitor, params, now }: SignedInVisit): Promise<WebReply> {
  const { delivery, body } = await deps.manageDeliveries.get(visitor.actor, deliveryId(params['id']));
  const to = await receiverOf(deps, visitor.actor, delivery);
  const reply = page(
    'settings',
    `Delivery ${delivery.id}`,
    <>
      <p>To {to === null ? 'a removed channel' : <a href={to.path}>{to.name}</a>}</p>
      <DeliveryFacts delivery={delivery} now={now} />
      <form method="post" action={`${DELIVERIES}/${delivery.id}/resend`} class="actions">
        <button type="submit">Send again</button>
        <span class="help">It keeps its ID, so that the receiver can recognise it.</span>
      </form>
      {delivery.target.channel === 'webhook' ? (
        <>
          <h2>Content</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
          <pre class="log" tabIndex={0}>
            {pretty(body)}
          </pre>
        </>
      ) : (
        <p>{delivery.event.message}</p>
      )}
    </>,
  );
  return { ...reply, live: { all: true } };
}

async function receiverOf(
  { manageWebhooks, manageChannels }: DeliveryDeps,
  actor: Actor,
  { target }: Delivery,
): Promise<{ readonly name: string; readonly path: string } | null> {
  const isIt = ({ id }: { readonly id: number }): boolean => id === target.id;
  if (target.channel === 'webhook') {
    const webhook = (await manageWebhooks.list(actor)).find(isIt);
    return webhook ? { name: webhook.name, path: webhookPath(webhook) } : null;
  }
  const channel = (await manageChannels.list(actor)).find(isIt);
  return channel ? { name: channel.name, path: channelPath(channel) } : null;
}

const pretty = (json: string): string => (json === '' ? '' : JSON.stringify(JSON.parse(json), null, 2));
