import { DomainError } from '../../../../../domain/base/errors.ts';
import { idOf } from '../../form-state.ts';
import { page, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { ALERTS_PATH } from './alerts-paths.ts';
import { DeliveryFacts } from './delivery-rows.tsx';
import { type WebhookDeps, webhookPath } from './webhooks.tsx';

export const DELIVERIES = `${ALERTS_PATH}/deliveries`;
/** The user waits for the first attempt; the service retries in the background. */
export const MAX_TRY_MS = 20_000;

/** A delivery's content, its results, and sending it again. */
export const deliveryRoutes = (deps: WebhookDeps): readonly WebRoute[] => [
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
      const { id } = await deps.manageDeliveries.resend(visitor.actor, deliveryId(params['id']), signal);
      return redirect(`${DELIVERIES}/${id}`);
    },
  },
];

function deliveryId(raw: string | undefined): number {
  const id = idOf(raw);
  if (id !== null) return id;
  throw new DomainError('delivery_not_found', 'There is no such delivery.');
}

async function deliveryPage(
  { manageDeliveries, manageWebhooks }: WebhookDeps,
  { visitor, params, now }: SignedInVisit,
): Promise<WebReply> {
  const { delivery, body } = await manageDeliveries.get(visitor.actor, deliveryId(params['id']));
  const webhook = (await manageWebhooks.list(visitor.actor)).find(({ id }) => id === delivery.target.id);
  return page(
    'settings',
    `Delivery ${delivery.id}`,
    <>
      <p>To {webhook === undefined ? 'a webhook' : <a href={webhookPath(webhook)}>{webhook.name}</a>}</p>
      <DeliveryFacts delivery={delivery} now={now} />
      <form method="post" action={`${DELIVERIES}/${delivery.id}/resend`} class="actions">
        <button type="submit">Send it again</button>
        <span class="help">Under the same id, so that the receiver knows it.</span>
      </form>
      <h2>Content</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <pre class="log" tabIndex={0}>
        {pretty(body)}
      </pre>
    </>,
  );
}

const pretty = (json: string): string => (json === '' ? '' : JSON.stringify(JSON.parse(json), null, 2));
