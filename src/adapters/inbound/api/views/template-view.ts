import * as z from 'zod';
import { toIso } from '../../../../domain/base/instant.ts';
import type { Deployment } from '../../../../domain/compose/deployment.ts';
import type { Template, TemplateSummary } from '../../../../domain/compose/template.ts';
import { VARIABLE_TYPES } from '../../../../domain/compose/template-variable.ts';
import { count, id, text, textOrNull, time } from './values.ts';

const summaryShape = {
  id,
  name: text,
  description: text,
  version: id.describe('Increases with every import that changes something'),
  variables_count: count,
  files_count: count,
  created_by: text,
  created_at: time,
  updated_at: time,
};

export const templateSummarySchema = z.strictObject(summaryShape);

export const templateSchema = z.strictObject({
  ...summaryShape,
  variables: z.array(
    z.strictObject({
      name: text,
      type: z.enum(VARIABLE_TYPES),
      description: text,
      required: z.boolean(),
      default: textOrNull,
      choices: z.array(text).describe('For type choice'),
      secret: z.boolean().describe('Stored encrypted, masked, and never returned'),
    }),
  ),
  files: z.array(z.strictObject({ path: text, content: text })),
});

export const templateSummaryView = (template: TemplateSummary): z.output<typeof templateSummarySchema> => ({
  id: template.id,
  name: template.name,
  description: template.description,
  version: template.version,
  variables_count: template.variableCount,
  files_count: template.fileCount,
  created_by: template.createdBy,
  created_at: toIso(template.createdAt),
  updated_at: toIso(template.updatedAt),
});

export const templateView = (template: Template): z.output<typeof templateSchema> => {
  const { variables, files } = template;
  return {
    ...templateSummaryView({
      ...template,
      variableCount: variables.length,
      fileCount: files.length,
    }),
    variables: variables.map((each) => ({
      name: each.name,
      type: each.type,
      description: each.description,
      required: each.required,
      default: each.default,
      choices: [...each.choices],
      secret: each.type === 'secret',
    })),
    files: files.map(({ path, content }) => ({ path, content })),
  };
};

export const deploymentSchema = z.strictObject({
  id,
  server_id: id,
  server_name: text,
  directory: text.describe('The project directory on the host; use it as source_filter'),
  project: text,
  template: text,
  template_version: id,
  variables: z.record(z.string(), text).describe('Values as set, without secrets'),
  secrets: z.array(text).describe('Names of the secret variables that are set'),
  files: z.array(text),
  job_id: id,
  deployed_at: time,
});

export const deploymentView = (deployment: Deployment): z.output<typeof deploymentSchema> => ({
  id: deployment.id,
  server_id: deployment.serverId,
  server_name: deployment.serverName,
  directory: deployment.directory,
  project: deployment.project,
  template: deployment.templateName,
  template_version: deployment.templateVersion,
  variables: { ...deployment.values },
  secrets: [...deployment.secretNames],
  files: [...deployment.files],
  job_id: deployment.jobId,
  deployed_at: toIso(deployment.deployedAt),
});
