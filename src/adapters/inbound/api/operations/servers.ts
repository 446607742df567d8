import * as z from 'zod';
import { GetServer } from '../../../../application/fleet/get-server.ts';
import { ListServers } from '../../../../application/fleet/list-servers.ts';
import { GetOwnApproval } from '../../../../application/jobs/list-approvals.ts';
import { SUPPORT_STATES } from '../../../../domain/fleet/os-support.ts';
import { FEATURE_FLAGS, type Server } from '../../../../domain/fleet/server.ts';
import { PROGRAM_ORDERS } from '../../../../domain/fleet/server-list.ts';
import { page as examplePage, SERVER } from '../examples.ts';
import { line, pageFields, searchText, serverId } from '../fields.ts';
import { operation, READS } from '../operation.ts';
import { RenderedOnce } from '../rendered.ts';
import {
  brief,
  conciseEntry,
  detailFields,
  FEW,
  type Fields,
  fitting,
  listResult,
  mainly,
  pick,
  toolForm,
  windowFields,
  windowShape,
} from '../tool-form.ts';
import { needCountsSchema, needCountsView, needOf, needSchema } from '../views/need-view.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import { ownRequestView, serverDetailSchema, serverEventView } from '../views/server-event-view.ts';
import { needySchema, needyView } from '../views/server-view.ts';
import { text } from '../views/values.ts';

const filters = {
  q: searchText.optional(),
  needs: needSchema.optional().describe('Only servers that need this; backup: the last one is stale'),
  tag: line(100).min(1).optional().describe('Only servers with this tag'),
  feature: z.enum(FEATURE_FLAGS).optional().describe('Only servers with this feature on'),
  sort: z
    .enum(PROGRAM_ORDERS)
    .default('name')
    .describe('updates: most first; last_backup, last_seen: oldest first'),
};

/** For scripts: agents find it by the alert, and in a server's details. */
const support = z
  .enum(SUPPORT_STATES)
  .optional()
  .describe(
    'Only servers whose operating system no longer gets security updates (ended), or for less than 90 days (ending)',
  );

/** The names say enough to agents, who know the words from results. */
const undescribed = {
  needs: needSchema.optional(),
  tag: line(100).min(1).optional(),
  feature: z.enum(FEATURE_FLAGS).optional(),
  sort: z.enum(PROGRAM_ORDERS).default('name'),
};

/** What tells servers apart, and what to do about them. */
const ROW = [
  'id',
  'name',
  'tags',
  'os_pretty',
  'needs',
  'os_updates_count',
  'security_updates_count',
  'container_updates_count',
  'last_backup_at',
  'alerts_open',
];

/** What a server needs depends on the time, too: as long as the counts are kept. */
const lists = new RenderedOnce<readonly Server[], z.output<typeof listOutput>>();
const details = new RenderedOnce<Server, z.output<typeof serverDetailSchema>>();

const listOutput = z.strictObject({
  servers: z.array(needySchema),
  ...pageShape,
  q: text,
  need_counts: needCountsSchema.describe('Servers of the whole fleet with each need'),
  tags_in_use: z.array(text).optional().describe('If no server has the tag: the most frequent tags'),
});

/** Of the examples. */
const NEED_COUNTS = {
  reboot: 0,
  security_updates: 1,
  updates: 1,
  image_updates: 0,
  updates_unknown: 0,
  backup: 0,
  unreachable: 0,
  unchecked: 1,
};

/** Names of tags for a caller that guessed one. */
const MOST_TAGS = 30;

export const listServers = operation({
  name: 'list_servers',
  scope: 'read',
  effect: 'reads',
  title: 'List servers',
  description:
    'Lists the servers that this token can access, by name, with OS, resources, features, last backup, pending updates, reboot state and what each needs. need_counts: number of servers with each need, up to a second old. Narrow the list with needs, tag, feature, q or a small limit. Next: get_server, inventory or list_jobs.',
  input: z.strictObject({ ...filters, support, ...pageFields(100) }),
  output: listOutput,
  group: 'Fleet',
  errors: [],
  examples: [
    {
      title: 'Search',
      input: { q: 'example', limit: 1 },
      output: {
        servers: [{ ...SERVER, needs: ['security_updates', 'updates'] }],
        ...examplePage(2, 1),
        q: 'example',
        need_counts: NEED_COUNTS,
      },
    },
    {
      title: 'Servers with security updates, most first',
      input: { needs: 'security_updates', sort: 'updates', limit: 1 },
      output: {
        servers: [{ ...SERVER, needs: ['security_updates', 'updates'] }],
        ...examplePage(1, 1),
        q: '',
        need_counts: NEED_COUNTS,
      },
    },
  ],
  routes: [{ method: 'GET', path: '/servers', status: 200 }],
  tool: toolForm({
    hints: READS,
    // As long as the counts.
    repeats: 1,
    description:
      'Finds servers. Use it to get a server_id, or to see which servers need something (needs); need_counts is for the whole fleet. Default: short entries; detail full or fields for more. Next: get_server, inventory, trigger_job.',
    input: z.strictObject({ ...filters, ...undescribed, ...detailFields(needySchema), ...windowFields }),
    output: z.strictObject({
      servers: z.array(brief),
      ...windowShape,
      need_counts: brief,
      tags_in_use: z.array(text).optional(),
    }),
    request: ({ detail: _detail, fields: _fields, limit = FEW, ...rest }) => ({ ...rest, limit }),
    present: (body, input) =>
      listResult(body, 'servers', input, {
        always: ['id', 'name'],
        row: (server) => pick(server, isLimited(server) ? [...ROW, 'features'] : ROW),
        more: pick(body, ['need_counts', 'tags_in_use']),
      }),
  }),
  async run(useCases, actor, { q = '', needs, tag, feature, support: ends, sort, limit, offset }) {
    const { page, needsOf, fleet } = await useCases.get(ListServers).withNeeds(actor, {
      q,
      need: needs && needOf(needs),
      tag,
      feature,
      support: ends,
      order: { by: sort, descending: sort === 'updates' },
      limit,
      offset,
    });
    const wrongTag = tag !== undefined && page.total === 0;
    const tags = wrongTag ? await useCases.get(ListServers).tags(actor, MOST_TAGS) : null;
    return lists.of(page.items, [fleet, q, page.total, page.limit, page.offset, tags], () => ({
      servers: page.items.map((server) => needyView(server, needsOf(server))),
      ...pageView(page),
      q,
      need_counts: needCountsView(fleet),
      ...(tags === null ? {} : { tags_in_use: tags.map((each) => each.tag) }),
    }));
  },
});

/** Whether a feature is off, so that its jobs are refused. */
const isLimited = ({ features }: Fields): boolean => Object.values(features as Fields).includes(false);

/** Changes that an agent sees with a server. */
const LATEST = 10;

/** Fields whose types the tool names. */
const SHOWN = [
  'id',
  'name',
  'os_pretty',
  'features',
  'needs',
  'last_backup_at',
  'os_updates_count',
  'security_updates_count',
  'container_updates_count',
  'reboot_pending',
];

const shownServer = mainly(needySchema, SHOWN).extend({
  features: brief.optional(),
  changes: z.array(brief).optional(),
  requests: z.array(brief).optional(),
});

export const getServer = operation({
  name: 'get_server',
  scope: 'read',
  effect: 'reads',
  title: 'Show a server',
  description:
    'Returns the stored details of one server. Does not contact the host; last_os_check_at and inventory_at show the age of the data, and an os_update_check job refreshes it. With changes, it includes that number of latest changes: who changed the server, its features, sources or files, or requested a job; and of the requests for approval that this token made, with their decisions.',
  input: z.strictObject({
    server_id: serverId,
    changes: z.int().min(0).max(100).default(0).describe('Number of latest changes to include'),
  }),
  output: serverDetailSchema,
  group: 'Fleet',
  errors: ['server_not_found'],
  examples: [
    {
      title: 'One server',
      input: { server_id: 1 },
      output: { ...SERVER, needs: ['security_updates', 'updates'] },
    },
  ],
  routes: [{ method: 'GET', path: '/servers/{server_id}', status: 200 }],
  tool: toolForm({
    hints: READS,
    repeats: 10,
    description:
      'Shows one server: OS, resources, features, needs, last ten changes (features, sources, jobs), and requests: the results of your approval requests. inventory_at: age of the data. Next: inventory for packages; list_jobs, trigger_job.',
    input: z.strictObject({ server_id: serverId }),
    output: shownServer,
    request: (input) => ({ ...input, changes: LATEST }),
    present: (body) => withFittingLists(conciseEntry(body)),
  }),
  async run(useCases, actor, { server_id, changes }) {
    const servers = useCases.get(GetServer);
    const server = await servers.execute(actor, server_id);
    const needs = useCases.get(ListServers).needsOf(server);
    if (changes === 0) return details.of(server, [needs.join()], () => needyView(server, needs));
    const [latest, requests] = await Promise.all([
      servers.changes(actor, server_id, changes),
      useCases.get(GetOwnApproval).ofServer(actor, server_id, changes),
    ]);
    return details.of(server, [latest, requests, needs.join()], () => ({
      ...needyView(server, needs),
      changes: latest.map(serverEventView),
      ...(requests.length === 0 ? {} : { requests: requests.map(ownRequestView) }),
    }));
  },
});

/** Characters of each list: paths of files are long now and then. */
const MAX_CHANGES = 4_000;

const withFittingLists = (server: Fields): Fields => ({
  ...server,
  ...Object.fromEntries(
    ['changes', 'requests'].flatMap((name) => {
      const list = server[name];
      return Array.isArray(list) ? [[name, fitting(list, MAX_CHANGES)]] : [];
    }),
  ),
});
