import * as z from 'zod';
import { ListSnapshots } from '../../../../application/backups/list-snapshots.ts';
import { ManageSnapshots } from '../../../../application/backups/manage-snapshots.ts';
import { page as examplePage, SNAPSHOT } from '../examples.ts';
import { pageFields, serverId } from '../fields.ts';
import { operation } from '../operation.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import { snapshotSchema, snapshotView } from '../views/snapshot-view.ts';

export const listSnapshots = operation({
  name: 'list_snapshots',
  scope: 'read',
  effect: 'reads',
  title: 'List snapshots',
  description: 'Lists the complete snapshots of a server, newest first.',
  input: z.strictObject({ server_id: serverId, ...pageFields(50) }),
  output: z.strictObject({ snapshots: z.array(snapshotSchema), ...pageShape }),
  group: 'Backups',
  errors: ['server_not_found'],
  examples: [
    {
      title: 'The latest snapshot',
      input: { server_id: 1, limit: 1 },
      output: { snapshots: [SNAPSHOT], ...examplePage(1, 1) },
    },
  ],
  routes: [{ method: 'GET', path: '/servers/{server_id}/snapshots', status: 200 }],
  async run(useCases, actor, { server_id, limit, offset }) {
    const page = await useCases.get(ListSnapshots).execute(actor, server_id, { limit, offset });
    return { snapshots: page.items.map(snapshotView), ...pageView(page) };
  },
});

const snapshotId = z.int().min(1).describe("The snapshot's id");

export const pinSnapshot = operation({
  name: 'pin_snapshot',
  scope: 'edit',
  effect: 'refused',
  title: 'Pin a snapshot',
  description:
    'Pins a snapshot, so that retention never removes it and it cannot be deleted. Only users can unpin or delete snapshots, in the web UI or the CLI. Needs the feature `backup`.',
  input: z.strictObject({ snapshot_id: snapshotId, pinned: z.boolean() }),
  output: snapshotSchema,
  group: 'Backups',
  errors: ['feature_not_allowed', 'approval_required', 'role_missing', 'snapshot_not_found'],
  examples: [
    {
      title: 'Keep it',
      input: { snapshot_id: 1, pinned: true },
      output: { ...SNAPSHOT, pinned_at: '2026-11-21T05:00:00.000Z' },
    },
  ],
  routes: [{ method: 'PATCH', path: '/snapshots/{snapshot_id}', status: 200 }],
  async run(useCases, actor, { snapshot_id, pinned }) {
    return snapshotView(await useCases.get(ManageSnapshots).pin(actor, snapshot_id, pinned));
  },
});
