import * as z from 'zod';
import { ListHostChanges } from '../../../../application/fleet/list-host-changes.ts';
import { page as examplePage } from '../examples.ts';
import { line, MAX_WHOLE, time as moment, pageFields, serverId } from '../fields.ts';
import { operation } from '../operation.ts';
import {
  changeJobSchema,
  changeJobView,
  hostChangeKind,
  hostChangeSchema,
  hostChangeView,
} from '../views/host-change-view.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import { count } from '../views/values.ts';

const MAX_JOBS = 50;

export const listHostChanges = operation({
  name: 'list_host_changes',
  scope: 'read',
  effect: 'reads',
  title: 'List changes on hosts',
  description:
    'Lists what changed on hosts between two readings, newest first: packages, containers, systemd units, mounts, listening ports, users with a shell, SSH keys of the service account, and configuration files in backups. Drover reads each host about once an hour, and files at each backup: the change happened after since and before at. jobs: the newest 50 that were requested in the same period, whatever kind and q, and who requested them. Does not contact the hosts.',
  input: z.strictObject({
    server_id: serverId.optional(),
    kind: hostChangeKind.optional(),
    q: line(200).optional().describe('Part of the name of what changed'),
    since: moment.optional().describe('Found at this time or later; default: 24 hours ago'),
    before: moment.optional().describe('Found before this time'),
    ...pageFields(100, MAX_WHOLE),
  }),
  output: z.strictObject({
    changes: z.array(hostChangeSchema),
    ...pageShape,
    jobs: z.array(changeJobSchema),
    jobs_total: count.describe('Jobs of the period'),
  }),
  group: 'Fleet',
  errors: ['server_not_found'],
  examples: [
    {
      title: 'Packages that changed on a server',
      input: { server_id: 1, kind: 'package' },
      output: {
        changes: [
          {
            id: 812,
            server_id: 1,
            server_name: 'web-1',
            kind: 'package',
            name: 'openssl:amd64',
            before: '3.0.15-1~deb12u1',
            after: '3.0.16-1~deb12u1',
            since: '2026-11-20T04:00:00.000Z',
            at: '2026-11-20T05:00:00.000Z',
            snapshot_id: null,
          },
        ],
        ...examplePage(1, 100),
        jobs: [
          {
            id: 57,
            server_id: 1,
            server_name: 'web-1',
            job_type: 'os_patch',
            status: 'success',
            dry_run: false,
            requested_by: 'user:ada',
            created_at: '2026-11-20T04:30:00.000Z',
            finished_at: '2026-11-20T04:31:10.000Z',
          },
        ],
        jobs_total: 1,
      },
    },
  ],
  routes: [{ method: 'GET', path: '/changes', status: 200 }],
  async run(useCases, actor, { server_id, kind, q, since, before, limit, offset }) {
    const period = {
      serverId: server_id,
      since: since === undefined ? undefined : Date.parse(since),
      before: before === undefined ? undefined : Date.parse(before),
    };
    const found = useCases.get(ListHostChanges);
    const page = await found.execute(actor, { ...period, kind, q, limit, offset });
    const jobs = await found.jobs(actor, period, MAX_JOBS);
    return {
      changes: page.items.map(hostChangeView),
      ...pageView(page),
      jobs: jobs.items.map(changeJobView),
      jobs_total: jobs.total,
    };
  },
});
