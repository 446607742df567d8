import type { Instant } from '../../../../../domain/base/instant.ts';
import { capital, count } from '../../../../../domain/base/spans.ts';
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryStatus,
} from '../../../../../domain/events/delivery.ts';
import { EVENT_TITLES } from '../../../../../domain/events/event.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { Status } from '../../components/status.tsx';
import { Ago, At } from '../../components/time.tsx';

/** Deliveries that the page of a receiver shows at a time, between its facts and its forms. */
export const DELIVERY_ROWS = 10;

const TONES = {
  pending: ['busy', 'sending'],
  delivered: ['good', 'delivered'],
  dead: ['bad', 'failed'],
  cancelled: ['off', 'cancelled'],
} as const satisfies Record<DeliveryStatus, readonly [string, string]>;

export function DeliveryState({ delivery }: { readonly delivery: Delivery }) {
  const { status, attempts, error } = delivery;
  if (status === 'pending' && attempts > 0 && error !== null)
    return <Status tone="care">{`failed ${count(attempts, 'time')}, retrying`}</Status>;
  const [tone, word] = TONES[status];
  return <Status tone={tone}>{word}</Status>;
}

/** Lists of deliveries by status. */
export const DeliveryTabs = ({
  path,
  wanted,
}: {
  readonly path: string;
  readonly wanted: DeliveryStatus | undefined;
}) => (
  <nav class="tabs" aria-label="Deliveries">
    <a href={path} aria-current={wanted === undefined ? 'page' : undefined}>
      All
    </a>
    {DELIVERY_STATUSES.map((each) => (
      <a key={each} href={`${path}?status=${each}`} aria-current={wanted === each ? 'page' : undefined}>
        {capital(TONES[each][1])}
      </a>
    ))}
  </nav>
);

/** Deliveries and their results as a table. */
export const DeliveryRows = ({
  deliveries,
  now,
  path,
  paging,
}: {
  readonly deliveries: readonly Delivery[];
  readonly now: Instant;
  /** Each has its page below it. */
  readonly path: string;
  readonly paging?: TablePaging;
}) => (
  <DataTable
    rows={deliveries}
    keyOf={({ id }) => id}
    empty="Nothing sent yet. Send a test to check that it arrives."
    paging={paging}
    columns={[
      {
        head: 'Event',
        kind: 'text',
        cell: ({ id, event }) => (
          <>
            <a href={`${path}/${id}`}>{EVENT_TITLES[event.type]}</a> <span class="quiet">{event.title}</span>
          </>
        ),
      },
      { head: 'State', kind: 'state', cell: (delivery) => <DeliveryState delivery={delivery} /> },
      { head: 'Response', kind: 'number', cell: ({ statusCode }) => statusCode },
      {
        head: 'Duration',
        kind: 'number',
        cell: ({ durationMs }) => (durationMs === null ? null : `${durationMs} ms`),
      },
      {
        head: 'Error',
        kind: 'text',
        cell: (delivery) => (isHeld(delivery, now) ? <Held delivery={delivery} now={now} /> : delivery.error),
      },
      { head: 'Created', cell: ({ createdAt }) => <Ago at={createdAt} now={now} /> },
    ]}
  />
);

/** It was not tried yet, and waits for a digest or the end of quiet hours. */
const isHeld = ({ attempts, dueAt }: Delivery, now: Instant): boolean =>
  attempts === 0 && dueAt !== null && dueAt > now;

const Held = ({ delivery: { dueAt }, now }: { readonly delivery: Delivery; readonly now: Instant }) => (
  <>held until {dueAt === null ? null : <At at={dueAt} now={now} />}</>
);

/** Everything about one. */
export function DeliveryFacts({ delivery, now }: { readonly delivery: Delivery; readonly now: Instant }) {
  const { event, attempts, statusCode, durationMs, error, dueAt, lastAttemptAt } = delivery;
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <DeliveryState delivery={delivery} />
      </dd>
      <dt>Event</dt>
      <dd>
        {EVENT_TITLES[event.type]}, {event.severity}: {event.title}
      </dd>
      <dt>ID</dt>
      <dd class="mono">{event.uid}</dd>
      <dt>Attempts</dt>
      <dd>
        {attempts}
        {lastAttemptAt === null ? null : (
          <>
            , the last <Ago at={lastAttemptAt} now={now} />
          </>
        )}
      </dd>
      <dt>Response</dt>
      <dd>{statusCode === null ? 'none' : `${statusCode} after ${durationMs ?? 0} ms`}</dd>
      {error === null ? null : (
        <>
          <dt>Error</dt>
          <dd>{error}</dd>
        </>
      )}
      {isHeld(delivery, now) ? (
        <>
          <dt>Waits</dt>
          <dd>
            <Held delivery={delivery} now={now} />
          </dd>
        </>
      ) : null}
      {dueAt === null || attempts === 0 ? null : (
        <>
          <dt>Next attempt</dt>
          <dd>
            <At at={dueAt} now={now} />
          </dd>
        </>
      )}
    </dl>
  );
}
