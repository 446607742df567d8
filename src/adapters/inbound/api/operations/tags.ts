import * as z from 'zod';
import { ListTags } from '../../../../application/fleet/list-tags.ts';
import { operation, READS } from '../operation.ts';
import { count } from '../views/values.ts';

export const listTags = operation({
  name: 'list_tags',
  scope: 'read',
  effect: 'reads',
  title: 'List tags',
  description:
    'Lists the tags of servers, the most frequent first. Use it before list_servers, which takes a tag.',
  input: z.strictObject({}),
  output: z.strictObject({ tags: z.array(z.strictObject({ tag: z.string(), servers: count })) }),
  group: 'Fleet',
  errors: [],
  examples: [{ title: 'All tags', input: {}, output: { tags: [{ tag: 'shop', servers: 1 }] } }],
  routes: [{ method: 'GET', path: '/tags', status: 200 }],
  tool: { hints: READS },
  run: async (useCases, actor) => ({
    tags: (await useCases.get(ListTags).execute(actor)).map(({ tag, servers }) => ({ tag, servers })),
  }),
});
