import * as z from 'zod';
import { ListWindows } from '../../../../application/automation/list-windows.ts';
import { WINDOW } from '../automation-examples.ts';
import { page as examplePage } from '../examples.ts';
import { pageFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import { windowSchema, windowView } from '../views/window-view.ts';

export const listWindows = operation({
  name: 'list_windows',
  scope: 'read',
  effect: 'reads',
  title: 'List maintenance windows',
  description:
    'Lists maintenance windows, by name, with their times. If a server has windows, jobs that change it (os_patch, container_patch, host_reboot, stack actions, templates) are accepted only while one of them is open. Dry runs, checks and backups are always accepted. Only operators can change or bypass windows.',
  input: z.strictObject(pageFields(50)),
  output: z.strictObject({ windows: z.array(windowSchema), ...pageShape }),
  group: 'Schedules',
  errors: [],
  examples: [{ title: 'All windows', input: {}, output: { windows: [WINDOW], ...examplePage(1) } }],
  routes: [{ method: 'GET', path: '/windows', status: 200 }],
  async run(useCases, actor, input) {
    const page = await useCases.get(ListWindows).execute(actor, input);
    return { windows: page.items.map(windowView), ...pageView(page) };
  },
});
