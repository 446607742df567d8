import type { Instant } from '../../../../../domain/base/instant.ts';
import { receivers, type Webhook } from '../../../../../domain/events/webhook.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { filterText } from './event-filter.tsx';

/** Receivers of events, as a table. */
export function WebhookRows({
  webhooks,
  now,
  pathOf,
}: {
  readonly webhooks: readonly Webhook[];
  readonly now: Instant;
  readonly pathOf: (webhook: Webhook) => string;
}) {
  if (webhooks.length === 0)
    return (
      <p class="quiet">
        No webhooks yet. A webhook sends signed events to a chat, a pager or your own workflow.
      </p>
    );
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Goes to</th>
            <th scope="col">Is sent</th>
            <th scope="col">State</th>
            <th scope="col">Made</th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <tr key={webhook.id}>
              <td>
                <a href={pathOf(webhook)}>{webhook.name}</a>
              </td>
              <td class="text mono">{webhook.shownUrl}</td>
              <td class="text">{filterText(webhook.filter)}</td>
              <td>
                <WebhookState webhook={webhook} all={webhooks} />
              </td>
              <td>
                <Ago at={webhook.createdAt} now={now} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function WebhookState({
  webhook,
  all,
}: {
  readonly webhook: Webhook;
  readonly all: readonly Webhook[];
}) {
  if (!webhook.enabled)
    return webhook.disabledBecause === 'gone' ? (
      <Status tone="bad">off: its receiver answered that it is gone</Status>
    ) : (
      <Status tone="off">off</Status>
    );
  return receivers(all).some(({ id }) => id === webhook.id) ? (
    <Status tone="good">on</Status>
  ) : (
    <Status tone="off">waits while there are others</Status>
  );
}
