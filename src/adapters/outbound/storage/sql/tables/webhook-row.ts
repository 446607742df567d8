import { z } from 'zod';
import type { Severity } from '../../../../../domain/events/event.ts';
import { EVENT_TYPES } from '../../../../../domain/events/event.ts';
import type { EventFilter } from '../../../../../domain/events/event-filter.ts';
import type { Webhook, WebhookChange, WebhookOrigin } from '../../../../../domain/events/webhook.ts';
import { fromJson, Strings } from './json.ts';

export const WEBHOOK_COLUMNS = [
  'id',
  'name',
  'origin',
  'sealed_url',
  'shown_url',
  'sealed_secret',
  'sealed_former_secret',
  'former_until',
  'events',
  'min_severity',
  'enabled',
  'disabled_because',
  'disabled_at',
  'created_by',
  'created_at',
  'updated_at',
] as const;

export interface WebhookRow extends FilterRow {
  readonly id: number;
  readonly name: string;
  readonly origin: WebhookOrigin;
  readonly sealed_url: string;
  readonly shown_url: string;
  readonly sealed_secret: string;
  readonly sealed_former_secret: string | null;
  readonly former_until: number | null;
  readonly enabled: number;
  readonly disabled_because: Webhook['disabledBecause'];
  readonly disabled_at: number | null;
  readonly created_by: string;
  readonly created_at: number;
  readonly updated_at: number;
}

interface FilterRow {
  readonly events: string | null;
  readonly min_severity: Severity;
}

/** A newer version beside this one may know more events; those are nothing to this one. */
const Events = z.array(z.string()).transform((names) => EVENT_TYPES.filter((each) => names.includes(each)));

export const toFilter = (row: FilterRow): EventFilter => ({
  events: row.events === null ? null : fromJson(Strings.pipe(Events), row.events),
  minSeverity: row.min_severity,
});

export const filterColumns = ({ events, minSeverity }: EventFilter): object => ({
  events: events === null ? null : JSON.stringify(events),
  min_severity: minSeverity,
});

export const toWebhook = (row: WebhookRow): Webhook => ({
  id: row.id,
  name: row.name,
  origin: row.origin,
  sealedUrl: row.sealed_url,
  shownUrl: row.shown_url,
  sealedSecret: row.sealed_secret,
  sealedFormerSecret: row.sealed_former_secret,
  formerUntil: row.former_until,
  filter: toFilter(row),
  enabled: row.enabled === 1,
  disabledBecause: row.disabled_because,
  disabledAt: row.disabled_at,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** knex leaves out what is undefined. */
export const webhookColumns = (change: WebhookChange): object => ({
  name: change.name,
  sealed_url: change.sealedUrl,
  shown_url: change.shownUrl,
  sealed_secret: change.sealedSecret,
  sealed_former_secret: change.sealedFormerSecret,
  former_until: change.formerUntil,
  ...(change.filter === undefined ? {} : filterColumns(change.filter)),
  enabled: change.enabled === undefined ? undefined : Number(change.enabled),
  disabled_because: change.disabledBecause,
  disabled_at: change.disabledAt,
});
