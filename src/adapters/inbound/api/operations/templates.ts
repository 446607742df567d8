import * as z from 'zod';
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
  description: 'Watches web sites and says when one is down',
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
      description: 'Where its page is',
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
    'Lists templates of compose projects, by name. A job of type template_deploy makes a project of one on a server; template_redeploy does it again. Only an operator imports, changes or deletes templates, on the page or at the command line.',
  input: z.strictObject(pageFields(50)),
  output: z.strictObject({ templates: z.array(templateSummarySchema), ...pageShape }),
  group: 'Templates',
  errors: [],
  examples: [
    { title: 'All of them', input: {}, output: { templates: [TEMPLATE_SUMMARY], ...examplePage(1) } },
  ],
  routes: [{ method: 'GET', path: '/templates', status: 200 }],
  async run(useCases, actor, input) {
    const page = await useCases.listTemplates.execute(actor, input);
    return { templates: page.items.map(templateSummaryView), ...pageView(page) };
  },
});

export const getTemplate = operation({
  name: 'get_template',
  scope: 'read',
  effect: 'reads',
  title: 'Show a template',
  description:
    'A template with its variables and files. @{name} in a file is the place of a variable; what is required and has no default has to be given for a deployment.',
  input: z.strictObject({ template_id: z.int().min(1).describe("The template's id") }),
  output: templateSchema,
  group: 'Templates',
  errors: ['template_not_found'],
  examples: [{ title: 'One of them', input: { template_id: 1 }, output: TEMPLATE }],
  routes: [{ method: 'GET', path: '/templates/{template_id}', status: 200 }],
  async run(useCases, actor, { template_id }) {
    return templateView(await useCases.getTemplate.execute(actor, template_id));
  },
});

export const listDeployments = operation({
  name: 'list_deployments',
  scope: 'read',
  effect: 'reads',
  title: 'List what was deployed from templates',
  description:
    'Lists what was last deployed from a template into each directory, by server. Secret values are never told. A job of type template_redeploy with the directory as its source_filter deploys it again, with the newest version of the template.',
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
      title: 'From one template',
      input: { template: 'uptime-kuma' },
      output: { deployments: [DEPLOYMENT], ...examplePage(1) },
    },
    {
      title: 'On one server',
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
    const page = await useCases.listDeployments.execute(actor, filter, { limit, offset });
    return { deployments: page.items.map(deploymentView), ...pageView(page) };
  },
});
