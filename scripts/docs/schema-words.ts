import type { JsonSchema } from '../../src/adapters/inbound/api/json-schema.ts';

/** A part of a type in words: text, or the name of a shape that the document has. */
export type TypeWord = string | { readonly shape: string };

const SHAPE = /^#\/components\/schemas\/(\w+)$/;

/** A value's form, in a few words. */
export function typeWords(schema: JsonSchema): readonly TypeWord[] {
  const { $ref: ref, anyOf, type, items, const: only, format } = schema;
  const shape = typeof ref === 'string' ? SHAPE.exec(ref)?.[1] : undefined;
  if (shape !== undefined) return [{ shape }];
  if (Array.isArray(anyOf)) {
    return anyOf.flatMap((each: JsonSchema, index) => [...(index > 0 ? [' or '] : []), ...typeWords(each)]);
  }
  if (type === 'array') return [...typeWords((items ?? {}) as JsonSchema), '[]'];
  if (only !== undefined) return [JSON.stringify(only)];
  if (format === 'date-time') return ['time'];
  return [typeof type === 'string' ? type : 'any'];
}

/** The allowed values of a field in backticks, if they are a finite list. */
export function choiceWords(schema: JsonSchema): string {
  const choices = mostTelling(schema)['enum'];
  return Array.isArray(choices)
    ? `One of ${choices.map((choice) => `\`${String(choice)}\``).join(', ')}`
    : '';
}

/** The default and the limits of an input. */
export function limitWords(schema: JsonSchema): string {
  const { minimum, maximum, maxLength } = mostTelling(schema);
  const fallback = schema['default'];
  return [
    ...(fallback === undefined ? [] : [`default \`${JSON.stringify(fallback)}\``]),
    ...(typeof minimum === 'number' ? [`at least ${minimum}`] : []),
    // The largest whole number of JSON is no limit of Drover.
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? [`at most ${maximum}`] : []),
    ...(typeof maxLength === 'number' ? [`at most ${maxLength} characters`] : []),
  ].join(', ');
}

/** For a list the schema of its entries, and for a nullable value that of the non-null one. */
function mostTelling(schema: JsonSchema): JsonSchema {
  const either = schema['anyOf'] as readonly JsonSchema[] | undefined;
  const some = either?.find((each) => each['type'] !== 'null');
  if (some) return mostTelling(some);
  return schema['type'] === 'array' ? mostTelling((schema['items'] ?? {}) as JsonSchema) : schema;
}

/** Texts as sentences, one after the other; empty ones are left out. */
export const sentences = (...texts: readonly (string | undefined)[]): string =>
  texts
    .flatMap((text) => (text ? [`${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`] : []))
    .join(' ');

/** A field of an object, as a row of a table. */
export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly description?: string | undefined;
  /** `path`, `query`, `header` or `body`; absent for members of a reply. */
  readonly place?: string;
}

/** A field's meaning: its description, its choices, and an input's limits. */
export const meaningOf = ({ description, schema, place }: Field): string =>
  sentences(description, choiceWords(schema), place && limitWords(schema));

/** The members of an object's schema. */
export function membersOf(schema: JsonSchema): readonly Field[] {
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).map(([name, each]) => ({
    name,
    schema: each,
    required: required.includes(name),
    description: each['description'] as string | undefined,
  }));
}
