import * as z from 'zod';
import { InvalidInput } from '../../../domain/base/errors.ts';
import type { RawTemplate, TemplateContent } from '../../../domain/compose/template.ts';
import { VARIABLE_TYPES } from '../../../domain/compose/template-variable.ts';

/** A template's manifest; all other files of its folder are rendered. */
export const MANIFEST = 'template.json';

const Manifest = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  variables: z
    .array(
      z.strictObject({
        name: z.string(),
        type: z.enum(VARIABLE_TYPES),
        description: z.string().optional(),
        required: z.boolean().optional(),
        default: z.union([z.string(), z.number(), z.boolean()]).optional(),
        choices: z.array(z.string()).optional(),
      }),
    )
    .optional(),
});

/** Throws `InvalidInput`, with the place of each fault below `/template.json`. */
export function manifestOf(text: string): RawTemplate {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw fault(MANIFEST, `It is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const parsed = Manifest.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new InvalidInput(
    parsed.error.issues.map(({ path, message }) => ({
      path: `/${MANIFEST}/${path.join('/')}`,
      message: `${message.replace(/\.$/, '')}.`,
    })),
  );
}

/** What `import` would read as the same template. */
export function manifestText({ name, description, variables }: TemplateContent): string {
  const shown = variables.map((each) => ({
    name: each.name,
    type: each.type,
    ...(each.description === '' ? {} : { description: each.description }),
    ...(each.choices.length === 0 ? {} : { choices: each.choices }),
    ...(each.default === null ? {} : { default: each.default }),
    ...(each.required === (each.default === null) ? {} : { required: each.required }),
  }));
  return `${JSON.stringify({ name, description, variables: shown }, null, 2)}\n`;
}

const fault = (path: string, message: string): InvalidInput =>
  new InvalidInput([{ path: `/${path}`, message }]);
