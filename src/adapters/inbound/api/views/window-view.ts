import * as z from 'zod';
import type { WindowState } from '../../../../domain/automation/maintenance-window.ts';
import { MINUTE, toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import type { HostSelector } from '../../../../domain/fleet/host-selector.ts';
import { id, text, time, timeOrNull } from './values.ts';

export const selectorSchema = z.strictObject({
  ids: z.array(id).nullable(),
  tags: z.array(text).nullable().describe('Servers with any of these tags'),
  all: z.boolean(),
});

export const selectorView = (selector: HostSelector): z.output<typeof selectorSchema> => ({
  ids: selector.by === 'ids' ? [...selector.ids] : null,
  tags: selector.by === 'tags' ? [...selector.tags] : null,
  all: selector.by === 'all',
});

export const windowSchema = z.strictObject({
  id,
  name: text,
  selector: selectorSchema,
  cron: text.describe('When it opens'),
  time_zone: text,
  duration_minutes: z.number().min(0),
  enabled: z.boolean().describe('A window that is switched off blocks nothing'),
  open: z.boolean(),
  open_until: timeOrNull,
  opens_at: timeOrNull.describe('When it opens next, even while it is open; null while it is off'),
  created_by: text,
  created_at: time,
});

export const windowView = ({ window, openUntil, opensAt }: WindowState): z.output<typeof windowSchema> => ({
  id: window.id,
  name: window.name,
  selector: selectorView(window.selector),
  cron: window.opens.expression,
  time_zone: window.opens.timeZone,
  duration_minutes: window.durationMs / MINUTE,
  enabled: window.enabled,
  open: openUntil !== null,
  open_until: toIsoOrNull(openUntil),
  opens_at: toIsoOrNull(opensAt),
  created_by: window.createdBy,
  created_at: toIso(window.createdAt),
});
