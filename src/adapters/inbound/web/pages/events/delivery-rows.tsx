import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { Delivery, DeliveryStatus } from '../../../../../domain/events/delivery.ts';
import { At } from '../../components/at.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

const TONES = {
  pending: ['busy', 'on its way'],
  delivered: ['good', 'delivered'],
  dead: ['bad', 'given up'],
  cancelled: ['off', 'cancelled'],
} as const satisfies Record<DeliveryStatus, readonly [string, string]>;

export function DeliveryState({ delivery }: { readonly delivery: Delivery }) {
  const { status, attempts, error } = delivery;
  if (status === 'pending' && attempts > 0 && error !== null)
    return <Status tone="care">{`failed ${count(attempts, 'time')}, tried again`}</Status>;
  const [tone, word] = TONES[status];
  return <Status tone={tone}>{word}</Status>;
}

/** What was sent and what became of it, as a table. */
export function DeliveryRows({
  deliveries,
  now,
  path,
}: {
  readonly deliveries: readonly Delivery[];
  readonly now: Instant;
  /** Where each has its page. */
  readonly path: string;
}) {
  if (deliveries.length === 0)
    return <p class="quiet">Nothing was sent yet. Send a test, to see whether it arrives.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">State</th>
            <th scope="col">Answer</th>
            <th scope="col">Took</th>
            <th scope="col">Error</th>
            <th scope="col">Made</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={delivery.id}>
              <td class="text">
                <a href={`${path}/${delivery.id}`}>{delivery.event.type}</a>{' '}
                <span class="quiet">{delivery.event.title}</span>
              </td>
              <td>
                <DeliveryState delivery={delivery} />
              </td>
              <td>{delivery.statusCode ?? '–'}</td>
              <td>{delivery.durationMs === null ? '–' : `${delivery.durationMs} ms`}</td>
              <td class="text">{delivery.error ?? '–'}</td>
              <td>
                <Ago at={delivery.createdAt} now={now} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

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
        {event.type}, {event.severity}: {event.title}
      </dd>
      <dt>Id</dt>
      <dd class="mono">{event.uid}</dd>
      <dt>Tries</dt>
      <dd>
        {attempts}
        {lastAttemptAt === null ? null : (
          <>
            , the last <Ago at={lastAttemptAt} now={now} />
          </>
        )}
      </dd>
      <dt>Answer</dt>
      <dd>{statusCode === null ? 'none' : `${statusCode} after ${durationMs ?? 0} ms`}</dd>
      {error === null ? null : (
        <>
          <dt>Error</dt>
          <dd>{error}</dd>
        </>
      )}
      {dueAt === null || attempts === 0 ? null : (
        <>
          <dt>Next try</dt>
          <dd>
            <At at={dueAt} now={now} />
          </dd>
        </>
      )}
    </dl>
  );
}
