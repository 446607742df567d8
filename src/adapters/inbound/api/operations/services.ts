import * as z from 'zod';
import { ListServices } from '../../../../application/fleet/list-services.ts';
import { page as examplePage, SERVICE } from '../examples.ts';
import { MAX_WHOLE, pageFields, searchText, serverId } from '../fields.ts';
import { operation, READS } from '../operation.ts';
import {
  detailFields,
  FEW,
  listResult,
  mainly,
  pick,
  toolForm,
  windowFields,
  windowShape,
} from '../tool-form.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import { serviceSchema, serviceState, serviceView } from '../views/service-view.ts';
import { count } from '../views/values.ts';

const filters = {
  server_id: serverId.optional(),
  state: serviceState.optional(),
  q: searchText.optional().describe('Part of a label, project, server, host name or tag'),
};

const ROW = ['server_id', 'server_name', 'label', 'state', 'message', 'docker_project', 'checked_at'];

/** Fields whose types the tool names. */
const TYPED = ['server_id', 'server_name', 'label', 'state', 'message'];

export const services = operation({
  name: 'services',
  scope: 'read',
  effect: 'reads',
  title: 'List services',
  description:
    'Lists containers and failed systemd units, worst first, each with the reason. State failed: it exited with an error, keeps restarting or is unhealthy; stopped; unknown: the host did not report it. checked_at shows the age of the data; hosts are not contacted. Use it with state failed to find what is broken. Next: get_server or inventory.',
  input: z.strictObject({
    ...filters,
    ...pageFields(MAX_WHOLE, MAX_WHOLE),
  }),
  output: z.strictObject({
    services: z.array(serviceSchema),
    count: count.describe('Number of entries in this reply'),
    ...pageShape,
  }),
  group: 'Fleet',
  errors: ['server_not_found'],
  examples: [
    {
      title: 'Failed services',
      input: { state: 'failed' },
      output: { services: [SERVICE], count: 1, ...examplePage(1, MAX_WHOLE) },
    },
    {
      title: 'Everything of one server',
      input: { server_id: 1, limit: 10 },
      output: { services: [SERVICE], count: 1, ...examplePage(1, 10) },
    },
  ],
  routes: [{ method: 'GET', path: '/services', status: 200 }],
  tool: toolForm({
    hints: READS,
    repeats: 10,
    description:
      'Lists containers and failed systemd units of a server or the fleet, worst first, with the reason. Use it with state failed to find what is broken. Stored data: checked_at shows its age. Next: get_server, inventory with section containers, trigger_job.',
    input: z.strictObject({ ...filters, ...detailFields(serviceSchema), ...windowFields }),
    output: z.strictObject({ services: z.array(mainly(serviceSchema, TYPED)), count, ...windowShape }),
    request: ({ detail: _detail, fields: _fields, limit = FEW, ...rest }) => ({ ...rest, limit }),
    present: (body, input) => {
      const list = listResult(body, 'services', input, {
        always: ['server_id', 'label'],
        row: (each) => pick(each, ROW),
      });
      return { ...list, count: (list['services'] as readonly unknown[]).length };
    },
  }),
  async run(useCases, actor, input) {
    const page = await useCases.get(ListServices).execute(actor, {
      serverId: input.server_id,
      state: input.state,
      q: input.q,
      limit: input.limit,
      offset: input.offset,
    });
    return { services: page.items.map(serviceView), count: page.items.length, ...pageView(page) };
  },
});
