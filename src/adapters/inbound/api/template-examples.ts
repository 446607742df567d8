import type * as z from 'zod';
import type { deploymentSchema, templateSchema, templateSummarySchema } from './views/template-view.ts';

/** A template in the examples of the documents. */

export const TEMPLATE_SUMMARY: z.output<typeof templateSummarySchema> = {
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

export const TEMPLATE: z.output<typeof templateSchema> = {
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

export const DEPLOYMENT: z.output<typeof deploymentSchema> = {
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
