import { z } from 'zod';
import { EVENT_TYPES, type EventType, type Severity } from '../../../../../domain/events/event.ts';
import type { Webhook, WebhookOrigin } from '../../../../../domain/events/webhook.ts';
import { columns, flag, int, json, oneOf, orNull, type Row, Strings, shortText, text } from './columns.ts';

/** A newer version beside this one may know more events; this one ignores them. */
const Events = Strings.pipe(
  z.array(z.string()).transform((names) => EVENT_TYPES.filter((each) => names.includes(each))),
);

/** The selected events. */
export const filter = {
  events: orNull(json<readonly EventType[]>(Events)),
  minSeverity: oneOf<Severity>(),
  tags: orNull(json<readonly string[]>(Strings)),
};

export const WEBHOOKS = columns({
  id: int,
  name: text,
  origin: oneOf<WebhookOrigin>(),
  sealedUrl: text,
  shownUrl: text,
  sealedSecret: text,
  sealedFormerSecret: orNull(text),
  formerUntil: orNull(int),
  filter,
  enabled: flag,
  disabledBecause: orNull(oneOf<NonNullable<Webhook['disabledBecause']>>()),
  disabledAt: orNull(int),
  createdBy: shortText,
  createdAt: int,
  updatedAt: int,
});

export type WebhookRow = Row<typeof WEBHOOKS>;
export const toWebhook: (row: WebhookRow) => Webhook = WEBHOOKS.read;
