import { z } from 'zod';
import type { Template, TemplateContent, TemplateSummary } from '../../../../../domain/compose/template.ts';
import { VARIABLE_TYPES } from '../../../../../domain/compose/template-variable.ts';
import { type Column, columns, int, json, type Row, Strings, shortText, text } from './columns.ts';

/** Not strict: beside this version there may be a newer one on the same database that knows more. */
const Variables = z.array(
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

/** Members in the schema's order: two templates with the same content are the same text. */
const ordered = <T>(schema: z.ZodType<T>): Column<T, string> => ({
  ...json(schema),
  write: (value) => JSON.stringify(schema.parse(value)),
});

const SUMMARIES = columns({
  id: int,
  name: text,
  description: text,
  version: int,
  variableCount: int,
  fileCount: int,
  createdBy: shortText,
  createdAt: int,
  updatedAt: int,
});
export const TEMPLATES = columns({
  ...SUMMARIES.shape,
  variables: ordered<Template['variables']>(Variables),
  files: ordered<Template['files']>(Files),
});

export type TemplateListRow = Row<typeof SUMMARIES>;
export type TemplateRow = Row<typeof TEMPLATES>;
export const TEMPLATE_LIST_COLUMNS = SUMMARIES.names;
export const toTemplateSummary: (row: TemplateListRow) => TemplateSummary = SUMMARIES.read;

export function toTemplate(row: TemplateRow): Template {
  const { variableCount: _, fileCount: __, ...template } = TEMPLATES.read(row);
  return template;
}

export const templateColumns = ({ name, description, variables, files }: TemplateContent) =>
  TEMPLATES.write({
    name,
    description,
    variables,
    files,
    variableCount: variables.length,
    fileCount: files.length,
  });
