import * as z from 'zod';
import { GetInventory } from '../../../../application/fleet/get-inventory.ts';
import { serverNotFound } from '../../../../domain/access/actor.ts';
import { page as examplePage, HOST } from '../examples.ts';
import { pageFields, serverId } from '../fields.ts';
import { operation, READS } from '../operation.ts';
import { inventorySchema, inventoryView } from '../views/inventory-view.ts';
import { pageShape, pageView } from '../views/page-view.ts';

export const inventory = operation({
  name: 'inventory',
  scope: 'read',
  effect: 'reads',
  title: 'Show inventory',
  description:
    'Returns the last recorded inventory of each host: OS, kernel, hardware, pending package updates, containers with state and Compose project; at is when it was recorded. Does not contact the hosts. Pass server_id if you can: a host may list hundreds of packages. status unknown: never recorded. To install updates call trigger_job.',
  input: z.strictObject({ server_id: serverId.optional(), ...pageFields(50) }),
  output: z.strictObject({ hosts: z.array(inventorySchema), ...pageShape }),
  group: 'Fleet',
  errors: ['server_not_found'],
  examples: [
    { title: 'One host', input: { server_id: 1 }, output: { hosts: [HOST], ...examplePage(1) } },
    { title: 'A page of the fleet', input: { limit: 1 }, output: { hosts: [HOST], ...examplePage(2, 1) } },
  ],
  routes: [{ method: 'GET', path: '/inventory', status: 200 }],
  tool: { hints: READS },
  async run(useCases, actor, { server_id = null, limit, offset }) {
    const page = await useCases.get(GetInventory).execute(actor, server_id, { limit, offset });
    return {
      hosts: page.items.map((host) => inventoryView(host.server, host.inventory)),
      ...pageView(page),
    };
  },
});

export const serverInventory = operation({
  name: 'server_inventory',
  scope: 'read',
  effect: 'reads',
  title: 'Show the inventory of a server',
  description: 'Returns the last recorded inventory of one host. Does not contact the host.',
  input: z.strictObject({ server_id: serverId }),
  output: inventorySchema,
  group: 'Fleet',
  errors: ['server_not_found'],
  examples: [{ title: 'One host', input: { server_id: 1 }, output: HOST }],
  routes: [{ method: 'GET', path: '/servers/{server_id}/inventory', status: 200 }],
  async run(useCases, actor, input) {
    const page = await useCases.get(GetInventory).execute(actor, input.server_id, { limit: 1, offset: 0 });
    const [host] = page.items;
    if (!host) throw serverNotFound(input.server_id);
    return inventoryView(host.server, host.inventory);
  },
});
