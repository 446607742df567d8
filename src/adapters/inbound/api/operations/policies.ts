import * as z from 'zod';
import { PatchPolicies } from '../../../../application/automation/patch-policies.ts';
import { MAX_PREVIEWED, PreviewUpdates } from '../../../../application/automation/preview-updates.ts';
import { FORECAST, POLICY } from '../automation-examples.ts';
import { page as examplePage } from '../examples.ts';
import { pageFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { forecastSchema, forecastView } from '../views/forecast-view.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import { policySchema, policyView } from '../views/policy-view.ts';

export const listPolicies = operation({
  name: 'list_policies',
  scope: 'read',
  effect: 'reads',
  title: 'List patch policies',
  description:
    "Lists patch policies, by name. A server's policy is the most specific one: for the server, else for one of its tags, else for all servers; of several, the first by name. os_patch and container_patch follow it, and their dry runs list in held_back what it holds back and why. Only operators can change policies.",
  input: z.strictObject(pageFields(50)),
  output: z.strictObject({ policies: z.array(policySchema), ...pageShape }),
  group: 'Schedules',
  errors: [],
  examples: [{ title: 'All policies', input: {}, output: { policies: [POLICY], ...examplePage(1) } }],
  routes: [{ method: 'GET', path: '/policies', status: 200 }],
  async run(useCases, actor, input) {
    const page = await useCases.get(PatchPolicies).list(actor, input);
    return { policies: page.items.map(policyView), ...pageView(page) };
  },
});

export const previewUpdates = operation({
  name: 'preview_updates',
  scope: 'read',
  effect: 'reads',
  title: 'Preview the next updates',
  description:
    'Lists for each server, by name, what the next os_patch and container_patch of a schedule will install and hold back, and why: by schedules, maintenance windows and patch policies, and the last inventory.',
  input: z.strictObject(pageFields(50, MAX_PREVIEWED)),
  output: z.strictObject({ servers: z.array(forecastSchema), ...pageShape }),
  group: 'Schedules',
  errors: [],
  examples: [{ title: 'All servers', input: {}, output: { servers: [FORECAST], ...examplePage(1) } }],
  routes: [{ method: 'GET', path: '/policies/preview', status: 200 }],
  async run(useCases, actor, input) {
    const page = await useCases.get(PreviewUpdates).execute(actor, input);
    return { servers: page.items.map(forecastView), ...pageView(page) };
  },
});
