import * as z from 'zod';
import {
  GetTemplate,
  ListDeployments,
  ListTemplates,
} from '../../../../application/compose/list-templates.ts';
import { page as examplePage } from '../examples.ts';
import { line, pageFields, serverId } from '../fields.ts';
import { operation } from '../operation.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import {
  deploymentSchema,
  deploymentView,
  templateSchema,
  templateSummarySchema,
  templateSummaryView,
  templateView,
} from '../views/template-view.ts';

/** A template in the examples of the documents. */

const TEMPLATE_SUMMARY: z.output<typeof templateSummarySchema> = {
  id: 1,
  name: 'uptime-kuma',
  description: 'Monitors web sites and alerts when one is down',
  version: 2,
  variables_count: 1,
  files_count: 1,
  created_by: 'operator',
  created_at: '2026-11-20T05:00:00.000Z',
  updated_at: '2026-11-20T05:00:00.000Z',
};

const TEMPLATE: z.output<typeof templateSchema> = {
  ...TEMPLATE_SUMMARY,
  variables: [
    {
      name: 'port',
      type: 'port',
      description: 'Address of its page in the web UI',
      required: false,
      default: '3001',
      choices: [],
      secret: false,
    },
  ],
  files: [
    {
      path: 'compose.yaml',
      content: 'services:\n  app:\n    image: "louislam/uptime-kuma:1"\n    ports: ["@{port}:3001"]\n',
    },
  ],
};

const DEPLOYMENT: z.output<typeof deploymentSchema> = {
  id: 1,
  server_id: 1,
  server_name: 'web',
  directory: '/srv/compose/kuma',
  project: 'kuma',
  template: 'uptime-kuma',
  template_version: 2,
  variables: { port: '3001' },
  secrets: [],
  files: ['compose.yaml'],
  job_id: 9,
  deployed_at: '2026-11-20T05:00:00.000Z',
};

const templateName = line(63).min(1).describe("The template's name");

export const listTemplates = operation({
  name: 'list_templates',
  scope: 'read',
  effect: 'reads',
  title: 'List templates',
  description:
    'Lists templates of Compose projects, by name. A template_deploy job creates a project from a template on a server; template_redeploy deploys it again. Operators import, change and delete templates in the web UI or the CLI.',
  input: z.strictObject(pageFields(50)),
  output: z.strictObject({ templates: z.array(templateSummarySchema), ...pageShape }),
  group: 'Templates',
  errors: [],
  examples: [
    { title: 'All templates', input: {}, output: { templates: [TEMPLATE_SUMMARY], ...examplePage(1) } },
  ],
  routes: [{ method: 'GET', path: '/templates', status: 200 }],
  async run(useCases, actor, input) {
    const page = await useCases.get(ListTemplates).execute(actor, input);
    return { templates: page.items.map(templateSummaryView), ...pageView(page) };
  },
});

export const getTemplate = operation({
  name: 'get_template',
  scope: 'read',
  effect: 'reads',
  title: 'Show a template',
  description:
    'Returns a template with its variables and files. @{name} in a file stands for a variable. A required variable without a default must be set for each deployment.',
  input: z.strictObject({ template_id: z.int().min(1).describe("The template's id") }),
  output: templateSchema,
  group: 'Templates',
  errors: ['template_not_found'],
  examples: [{ title: 'A template', input: { template_id: 1 }, output: TEMPLATE }],
  routes: [{ method: 'GET', path: '/templates/{template_id}', status: 200 }],
  async run(useCases, actor, { template_id }) {
    return templateView(await useCases.get(GetTemplate).execute(actor, template_id));
  },
});

export const listDeployments = operation({
  name: 'list_deployments',
  scope: 'read',
  effect: 'reads',
  title: 'List template deployments',
  description:
    'Lists the last template deployment in each directory, by server. Secret values are never returned. To deploy the newest version of a template again, start a template_redeploy job with the directory as source_filter.',
  input: z.strictObject({
    server_id: serverId.optional(),
    template: templateName.optional(),
    ...pageFields(50),
  }),
  output: z.strictObject({ deployments: z.array(deploymentSchema), ...pageShape }),
  group: 'Templates',
  errors: ['server_not_found'],
  examples: [
    {
      title: 'Deployments of a template',
      input: { template: 'uptime-kuma' },
      output: { deployments: [DEPLOYMENT], ...examplePage(1) },
    },
    {
      title: 'Deployments on a server',
      input: { server_id: 1 },
      output: { deployments: [DEPLOYMENT], ...examplePage(1) },
    },
  ],
  routes: [
    { method: 'GET', path: '/deployments', status: 200 },
    {
      method: 'GET',
      path: '/servers/{server_id}/deployments',
      status: 200,
      named: { id: 'list_server_deployments', title: "List a server's deployments" },
    },
  ],
  async run(useCases, actor, { server_id, template, limit, offset }) {
    const filter = { serverId: server_id, templateName: template };
    const page = await useCases.get(ListDeployments).execute(actor, filter, { limit, offset });
    return { deployments: page.items.map(deploymentView), ...pageView(page) };
  },
});
