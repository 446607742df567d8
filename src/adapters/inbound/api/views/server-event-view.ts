import * as z from 'zod';
import type { ServerEvent } from '../../../../application/fleet/get-server.ts';
import { toIso } from '../../../../domain/base/instant.ts';
import { needySchema } from './server-view.ts';
import { text, time } from './values.ts';

const serverEventSchema = z.strictObject({
  at: time,
  by: text.describe('User or token'),
  action: text,
  object: text,
  what: text.optional().describe('Job type, feature flags, name or path'),
});

/** A server with its latest changes, if they were asked for. */
export const serverDetailSchema = z.strictObject({
  ...needySchema.shape,
  changes: z.array(serverEventSchema).optional().describe('Latest first'),
});

/** Parts of an entry that say what was changed; the rest of its detail is for administrators. */
const ABOUT = ['jobType', 'name', 'path', 'to'];

export function serverEventView(event: ServerEvent): z.output<typeof serverEventSchema> {
  const { features } = event.detail as { features?: Readonly<Record<string, boolean>> };
  const flags = Object.entries(features ?? {}).map(([name, on]) => `${name} ${on ? 'on' : 'off'}`);
  const named = ABOUT.flatMap((name) => {
    const value = event.detail[name];
    return typeof value === 'string' ? [value] : [];
  });
  const what = [...flags, ...named].join(', ');
  return {
    at: toIso(event.at),
    by: `${event.actorKind}:${event.actorName}`,
    action: event.action,
    object: event.object,
    ...(what === '' ? {} : { what }),
  };
}
