import * as z from 'zod';
import type { HostSelector } from '../../../../domain/fleet/host-selector.ts';
import { id, text } from './values.ts';

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
