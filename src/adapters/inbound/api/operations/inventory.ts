import * as z from 'zod';
import { GetInventory } from '../../../../application/fleet/get-inventory.ts';
import { GetServerHistory, MAX_SAMPLES } from '../../../../application/fleet/get-server-history.ts';
import { ListUpdateCves } from '../../../../application/fleet/list-update-cves.ts';
import { serverNotFound } from '../../../../domain/access/actor.ts';
import { toIso } from '../../../../domain/base/instant.ts';
import { type Sample, STEPS } from '../../../../domain/fleet/sample.ts';
import { isCveId } from '../../../../domain/fleet/vulnerability.ts';
import { page as examplePage, HOST } from '../examples.ts';
import { line, MAX_WHOLE, time as moment, pageFields, serverId } from '../fields.ts';
import { operation, READS } from '../operation.ts';
import { detailFields, FEW, mainly, toolForm, windowFields, windowShape } from '../tool-form.ts';
import { inventoryResult, SECTIONS, SHOWN, shownInventory } from '../tools/inventory-result.ts';
import { inventorySchema, inventoryView } from '../views/inventory-view.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import { count, countOrNull, text, time } from '../views/values.ts';
import { showCve } from './cves.ts';
import { listHostChanges } from './host-changes.ts';
import { searchPackages } from './packages.ts';

const search = {
  package: line(200)
    .min(1)
    .optional()
    .describe('Part of the name of a package with a pending update, or of an image'),
  version: line(200).min(1).optional().describe('Part of its installed or new version, or of the image tag'),
};

export const inventory = operation({
  name: 'inventory',
  scope: 'read',
  effect: 'reads',
  title: 'Show inventory',
  description:
    'Returns the last recorded inventory of each host: OS, kernel, hardware, file systems, pending package updates, containers with state, ports and Compose project; at is when it was recorded. With package or version: only hosts with such pending updates or images, and of their lists only these. Does not contact the hosts. status unknown: never recorded.',
  input: z.strictObject({ server_id: serverId.optional(), ...search, ...pageFields(MAX_WHOLE, MAX_WHOLE) }),
  output: z.strictObject({ hosts: z.array(inventorySchema), ...pageShape }),
  group: 'Fleet',
  errors: ['server_not_found'],
  examples: [
    { title: 'One host', input: { server_id: 1 }, output: { hosts: [HOST], ...examplePage(1, MAX_WHOLE) } },
    { title: 'A page of the fleet', input: { limit: 1 }, output: { hosts: [HOST], ...examplePage(2, 1) } },
    {
      title: 'Hosts with a pending update of a package',
      input: { package: 'openssl' },
      output: { hosts: [HOST], ...examplePage(1, MAX_WHOLE) },
    },
  ],
  routes: [{ method: 'GET', path: '/inventory', status: 200 }],
  tool: toolForm({
    hints: READS,
    repeats: 10,
    description:
      'Shows what was recorded (at) of a server or the fleet. Use package and version for pending updates or images; with section packages, installed ones. A CVE id as package: affected servers. section: one part, paged; changes: since to before (a day), and jobs of that time. Next: trigger_job.',
    input: z
      .strictObject({
        server_id: serverId.optional(),
        section: z.enum(SECTIONS).optional(),
        package: line(200).min(1).optional(),
        version: line(200).min(1).optional(),
        since: moment.optional(),
        before: moment.optional(),
        ...detailFields(inventorySchema),
        ...windowFields,
      })
      .refine(
        ({ section, version, since, before }) =>
          section === 'changes' ? version === undefined : since === undefined && before === undefined,
        { path: ['section'], message: 'since and before need "changes", which has no version.' },
      ),
    output: z.strictObject({
      hosts: z.array(mainly(shownInventory, SHOWN)),
      ...windowShape,
      known: z.boolean().optional(),
      jobs: z.array(z.looseObject({})).optional(),
      jobs_total: z.number().optional(),
      note: text.optional(),
    }),
    instead: ({ section, package: name }) => {
      if (section === 'changes') return listHostChanges;
      if (isCveId(name ?? '')) return showCve;
      return section === 'packages' ? searchPackages : null;
    },
    request: ({ server_id, section, package: name, version, since, before, limit = FEW, offset }) => {
      const page = { server_id, limit, offset };
      if (section === 'changes') return { ...page, q: name, since, before };
      if (isCveId(name ?? '')) return { ...page, cve: name };
      if (section === 'packages') return { ...page, name, version };
      // With a server, the window is on a section of it.
      const window = server_id === undefined ? { limit, offset } : { limit: 1 };
      return { server_id, package: name, version, ...window };
    },
    present: inventoryResult,
  }),
  async run(useCases, actor, { server_id: server, package: name, version, limit, offset }) {
    const page = await useCases.get(GetInventory).execute(actor, {
      serverId: server,
      search: name === undefined && version === undefined ? undefined : { name, version },
      limit,
      offset,
    });
    const [host] = page.items;
    const cves =
      server !== undefined && host?.inventory
        ? await useCases.get(ListUpdateCves).execute(actor, server, host.inventory)
        : undefined;
    return {
      hosts: page.items.map((each) => inventoryView(each.server, each.inventory, each.whole, cves)),
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
    const page = await useCases
      .get(GetInventory)
      .execute(actor, { serverId: input.server_id, limit: 1, offset: 0 });
    const [host] = page.items;
    if (!host) throw serverNotFound(input.server_id);
    const { server, inventory: found } = host;
    const cves = found ? await useCases.get(ListUpdateCves).execute(actor, server.id, found) : undefined;
    return inventoryView(server, found, found, cves);
  },
});

const sampleSchema = z.strictObject({
  at: time,
  cpu_load: z.number().describe('One-minute load average'),
  memory_total_bytes: count,
  memory_used_bytes: count,
  disks: z.array(z.strictObject({ mount: text, total_bytes: count, used_bytes: count })),
  os_updates_count: countOrNull.describe('null: unknown'),
  security_updates_count: countOrNull.describe('null: unknown'),
  container_count: countOrNull,
});

const sampleView = (sample: Sample): z.output<typeof sampleSchema> => ({
  at: toIso(sample.at),
  cpu_load: sample.load,
  memory_total_bytes: sample.memoryTotalBytes,
  memory_used_bytes: sample.memoryUsedBytes,
  disks: sample.disks.map(({ mount, totalBytes, usedBytes }) => ({
    mount,
    total_bytes: totalBytes,
    used_bytes: usedBytes,
  })),
  os_updates_count: sample.updates,
  security_updates_count: sample.securityUpdates,
  container_count: sample.containers,
});

export const serverSamples = operation({
  name: 'server_samples',
  scope: 'read',
  effect: 'reads',
  title: 'Show the history of a server',
  description:
    'Returns load, memory, disk use, pending updates and containers of one host over time, oldest first: one sample per hour for 30 days, or one per day for two years. An hour without inventory has no sample.',
  input: z.strictObject({
    server_id: serverId,
    step: z.enum(STEPS).default('hour'),
    limit: z.int().min(1).max(MAX_SAMPLES).default(168).describe('Number of latest samples'),
  }),
  output: z.strictObject({ samples: z.array(sampleSchema) }),
  group: 'Fleet',
  errors: ['server_not_found'],
  examples: [
    {
      title: 'The latest hour',
      input: { server_id: 1, limit: 1 },
      output: {
        samples: [
          {
            at: '2026-11-20T05:00:00.000Z',
            cpu_load: 0.42,
            memory_total_bytes: 8_589_934_592,
            memory_used_bytes: 3_221_225_472,
            disks: [{ mount: '/', total_bytes: 85_899_345_920, used_bytes: 21_474_836_480 }],
            os_updates_count: 3,
            security_updates_count: 1,
            container_count: 2,
          },
        ],
      },
    },
  ],
  routes: [{ method: 'GET', path: '/servers/{server_id}/samples', status: 200 }],
  async run(useCases, actor, { server_id, step, limit }) {
    const found = await useCases.get(GetServerHistory).samples(actor, server_id, { step, from: 0, limit });
    return { samples: found.map(sampleView) };
  },
});
