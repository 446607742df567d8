import * as z from 'zod';
import { ListSnapshots } from '../../../../application/backups/list-snapshots.ts';
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
