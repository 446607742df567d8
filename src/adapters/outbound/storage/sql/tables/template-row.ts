import { z } from 'zod';
import type { Template, TemplateContent, TemplateSummary } from '../../../../../domain/compose/template.ts';
import { type TemplateVariable, VARIABLE_TYPES } from '../../../../../domain/compose/template-variable.ts';
import { fromJson, Strings } from './json.ts';

export const TEMPLATE_LIST_COLUMNS = [
  'id',
  'name',
  'description',
  'version',
  'variable_count',
  'file_count',
  'created_by',
  'created_at',
  'updated_at',
] as const;

export const TEMPLATE_COLUMNS = [...TEMPLATE_LIST_COLUMNS, 'variables', 'files'] as const;

export interface TemplateListRow {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly version: number;
  readonly variable_count: number;
  readonly file_count: number;
  readonly created_by: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface TemplateRow extends TemplateListRow {
  readonly variables: string;
  readonly files: string;
}

/** Not strict: beside this version there may be a newer one on the same database that knows more. */
const Variables: z.ZodType<readonly TemplateVariable[]> = z.array(
  z.object({
    name: z.string(),
    type: z.enum(VARIABLE_TYPES),
    description: z.string(),
    required: z.boolean(),
    default: z.string().nullable(),
    choices: Strings,
  }),
);
const Files = z.array(z.object({ path: z.string(), content: z.string() }));

export const toTemplateSummary = (row: TemplateListRow): TemplateSummary => ({
  id: row.id,
  name: row.name,
  description: row.description,
  version: row.version,
  variableCount: row.variable_count,
  fileCount: row.file_count,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const toTemplate = (row: TemplateRow): Template => ({
  id: row.id,
  name: row.name,
  description: row.description,
  version: row.version,
  variables: fromJson(Variables, row.variables),
  files: fromJson(Files, row.files),
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Its members in an order of their own: two templates that say the same are the same text. */
export const templateColumns = ({ name, description, variables, files }: TemplateContent) => ({
  name,
  description,
  variables: JSON.stringify(
    variables.map((each) => ({
      name: each.name,
      type: each.type,
      description: each.description,
      required: each.required,
      default: each.default,
      choices: each.choices,
    })),
  ),
  files: JSON.stringify(files.map(({ path, content }) => ({ path, content }))),
  variable_count: variables.length,
  file_count: files.length,
});
