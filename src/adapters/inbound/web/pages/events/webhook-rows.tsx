import type { Instant } from '../../../../../domain/base/instant.ts';
import { receivers, type Webhook } from '../../../../../domain/events/webhook.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { filterText } from './event-filter.tsx';

/** Receivers of events, as a table. */
export const WebhookRows = ({
  webhooks,
  now,
  pathOf,
}: {
  readonly webhooks: readonly Webhook[];
  readonly now: Instant;
  readonly pathOf: (webhook: Webhook) => string;
}) => (
  <DataTable
    rows={webhooks}
    keyOf={({ id }) => id}
    empty="No webhooks yet. A webhook sends signed events to a chat, a pager or your own workflow."
    columns={[
      { head: 'Name', cell: (webhook) => <a href={pathOf(webhook)}>{webhook.name}</a> },
      { head: 'URL', kind: 'code', cell: ({ shownUrl }) => shownUrl },
      { head: 'Events', kind: 'text', cell: ({ filter }) => filterText(filter) },
      { head: 'State', kind: 'state', cell: (webhook) => <WebhookState webhook={webhook} all={webhooks} /> },
      { head: 'Created', phone: 'label', cell: ({ createdAt }) => <Ago at={createdAt} now={now} /> },
    ]}
  />
);

export function WebhookState({
  webhook,
  all,
}: {
  readonly webhook: Webhook;
  readonly all: readonly Webhook[];
}) {
  if (!webhook.enabled)
    return webhook.disabledBecause === 'gone' ? (
      <Status tone="bad">off: its receiver answered 410 Gone</Status>
    ) : (
      <Status tone="off">off</Status>
    );
  return receivers(all).some(({ id }) => id === webhook.id) ? (
    <Status tone="good">on</Status>
  ) : (
    <Status tone="off">inactive while other webhooks exist</Status>
  );
}
