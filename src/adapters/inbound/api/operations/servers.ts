import * as z from 'zod';
import { GetServer } from '../../../../application/fleet/get-server.ts';
import { ListServers } from '../../../../application/fleet/list-servers.ts';
import { SetFeatures } from '../../../../application/fleet/set-features.ts';
import { FEATURE_FLAGS } from '../../../../domain/fleet/server.ts';
import { page as examplePage, SERVER } from '../examples.ts';
import { pageFields, searchText, serverId } from '../fields.ts';
import { operation, READS } from '../operation.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import { serverSchema, serverView } from '../views/server-view.ts';
import { text } from '../views/values.ts';

export const listServers = operation({
  name: 'list_servers',
  scope: 'read',
  effect: 'reads',
  title: 'List servers',
  description:
    'Lists the servers that this token can access, by name, with OS, resources, features, last backup, pending updates and reboot state. Use it to find a server_id. On a large fleet narrow it with q or a small limit, and page with offset until you reach total. Next: get_server, inventory or list_jobs.',
  input: z.strictObject({ q: searchText.optional(), ...pageFields(100) }),
  output: z.strictObject({ servers: z.array(serverSchema), ...pageShape, q: text }),
  group: 'Fleet',
  errors: [],
  examples: [
    {
      title: 'Search',
      input: { q: 'example', limit: 1 },
      output: { servers: [SERVER], ...examplePage(2, 1), q: 'example' },
    },
  ],
  routes: [{ method: 'GET', path: '/servers', status: 200 }],
  tool: { hints: READS },
  async run(useCases, actor, { q = '', limit, offset }) {
    const page = await useCases.get(ListServers).execute(actor, { q, limit, offset });
    return { servers: page.items.map(serverView), ...pageView(page), q };
  },
});

export const getServer = operation({
  name: 'get_server',
  scope: 'read',
  effect: 'reads',
  title: 'Show a server',
  description:
    'Returns the stored details of one server. Does not contact the host; last_os_check_at and inventory_at show the age of the data, and an os_update_check job refreshes it. Use it once you have a server_id. For packages and containers call inventory; for past jobs call list_jobs.',
  input: z.strictObject({ server_id: serverId }),
  output: serverSchema,
  group: 'Fleet',
  errors: ['server_not_found'],
  examples: [{ title: 'One server', input: { server_id: 1 }, output: SERVER }],
  routes: [{ method: 'GET', path: '/servers/{server_id}', status: 200 }],
  tool: { hints: READS },
  async run(useCases, actor, input) {
    return serverView(await useCases.get(GetServer).execute(actor, input.server_id));
  },
});

const flag = (what: string) => z.boolean().describe(what).optional();

export const setFeatures = operation({
  name: 'set_features',
  scope: 'edit',
  effect: 'changes',
  title: 'Switch server features',
  description:
    'Switches the features backup, os_patch and docker of a server on or off; pass only those to change. While a feature is off, its jobs are refused there (feature_disabled). Use it only if the user asks for it. Returns the changed flags and the server. Next: trigger_job.',
  input: z.strictObject({
    server_id: serverId,
    backup: flag('Jobs backup and retention'),
    os_patch: flag('Jobs os_patch and os_update_check'),
    docker: flag('Jobs container_patch and container_update_check'),
  }),
  output: z.strictObject({
    ok: z.literal(true),
    changed: z.array(z.enum(FEATURE_FLAGS)).describe('Flags that changed'),
    server: serverSchema,
  }),
  group: 'Fleet',
  errors: ['feature_not_allowed', 'server_not_found', 'empty_change'],
  examples: [
    {
      title: 'Switch container updates on',
      input: { server_id: 1, docker: true },
      output: {
        ok: true,
        changed: ['docker'],
        server: { ...SERVER, features: { ...SERVER.features, docker: true } },
      },
    },
  ],
  routes: [{ method: 'PATCH', path: '/servers/{server_id}/features', status: 200 }],
  tool: {
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  async run(useCases, actor, input) {
    const flags = Object.fromEntries(
      FEATURE_FLAGS.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])),
    );
    const { changed, server } = await useCases.get(SetFeatures).execute(actor, input.server_id, flags);
    return { ok: true as const, changed: [...changed], server: serverView(server) };
  },
});
