import * as z from 'zod';
import { page as examplePage, SERVICE } from '../examples.ts';
import { pageFields, searchText, serverId } from '../fields.ts';
import { operation, READS } from '../operation.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import { serviceSchema, serviceState, serviceView } from '../views/service-view.ts';
import { count } from '../views/values.ts';

export const services = operation({
  name: 'services',
  scope: 'read',
  effect: 'reads',
  title: 'List services',
  description:
    'What runs on the servers, or should: every container, and the systemd units that failed; worst first, with a line that says why. state failed: it exited with an error, restarts again and again or is unhealthy; stopped: it is at rest; unknown: the host did not tell. checked_at says how old that is; hosts are not asked. Use it to find what is broken (state failed), then call get_server or inventory for its host.',
  input: z.strictObject({
    server_id: serverId.optional(),
    state: serviceState.optional(),
    q: searchText.optional().describe('Part of a label, compose project, server name, host name or tag'),
    ...pageFields(50),
  }),
  output: z.strictObject({
    services: z.array(serviceSchema),
    count: count.describe('How many are in this reply'),
    ...pageShape,
  }),
  group: 'Fleet',
  errors: ['server_not_found'],
  examples: [
    {
      title: 'What is broken',
      input: { state: 'failed' },
      output: { services: [SERVICE], count: 1, ...examplePage(1) },
    },
    {
      title: 'Everything of one server',
      input: { server_id: 1, limit: 10 },
      output: { services: [SERVICE], count: 1, ...examplePage(1, 10) },
    },
  ],
  routes: [{ method: 'GET', path: '/services', status: 200 }],
  tool: { hints: READS },
  async run(useCases, actor, input) {
    const page = await useCases.listServices.execute(actor, {
      serverId: input.server_id,
      state: input.state,
      q: input.q,
      limit: input.limit,
      offset: input.offset,
    });
    return { services: page.items.map(serviceView), count: page.items.length, ...pageView(page) };
  },
});
