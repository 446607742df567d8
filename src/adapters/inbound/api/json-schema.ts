import * as z from 'zod';

export type JsonSchema = { readonly [key: string]: unknown };

/** An input as JSON Schema 2020-12 (the default dialect). */
export const inputJsonSchema = (schema: z.ZodObject): JsonSchema => convert(schema, 'input');

/**
 * An output's schema. It does not forbid further members: a client with the schema of an older version must accept
 * newer fields. Our own tests allow exactly these members.
 */
export const outputJsonSchema = (schema: z.ZodObject): JsonSchema => convert(schema, 'output');

/** What a tool takes, as agents read it: the same without the bounds that every integer has. */
export function toolInputJsonSchema(schema: z.ZodObject): JsonSchema {
  const short = reduced(convert(schema, 'input'), INPUT_KEYS) as JsonSchema;
  // Some clients want the properties of an input even if it has none.
  return 'properties' in short ? short : { ...short, properties: {} };
}

/** What a tool returns: types alone. Agents pay for each character in every conversation. */
export function toolOutputJsonSchema(schema: z.ZodObject): JsonSchema {
  const { properties, ...rest } = reduced(convert(schema, 'output'), OUTPUT_KEYS) as JsonSchema;
  const kept = Object.entries(properties ?? {}).filter(([name]) => !LEFT_OUT.has(name));
  return { ...rest, properties: Object.fromEntries(kept) };
}

/** Members of a result that repeat the input, or explain themselves where they are. */
const LEFT_OUT = new Set(['limit', 'offset', 'known', 'note', 'tags_in_use', 'jobs_total']);

const INPUT_KEYS = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'enum',
  'const',
  'default',
  'description',
  'maximum',
]);
const OUTPUT_KEYS = new Set(['type', 'properties', 'items', 'anyOf']);

/** What a name or a type says already: agents pay for each character. */
const isPlain = (key: string, value: unknown): boolean =>
  value === Number.MAX_SAFE_INTEGER ||
  (key === 'default' && !value) ||
  (key === 'properties' && Object.keys(value as object).length === 0);

/** Only these keywords. */
function reduced(schema: unknown, kept: ReadonlySet<string>): unknown {
  if (Array.isArray(schema)) return schema.map((each) => reduced(each, kept));
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).filter(([key, value]) => kept.has(key) && !isPlain(key, value));
  return Object.fromEntries(
    parts.map(([key, value]) => {
      if (key === 'properties')
        return [key, mapped(value as object, (name, each) => property(name, each, kept))];
      return [key, key === 'items' || key === 'anyOf' ? reduced(value, kept) : value];
    }),
  );
}

function property(name: string, schema: unknown, kept: ReadonlySet<string>): unknown {
  if (kept === INPUT_KEYS && ID.test(name)) return ID_OR_NAME;
  const short = reduced(schema, ID.test(name) ? TYPE : kept);
  return kept === INPUT_KEYS && name === 'server_ids' ? { ...(short as object), items: ID_OR_NAME } : short;
}

/** Agents may name a server, or whose job they mean. */
const ID_OR_NAME = { anyOf: [{ type: 'integer' }, { type: 'string' }] };

/** Names that say all. */
const ID = /^(server|job)_id$/;
const TYPE = new Set(['type']);

const mapped = (object: object, change: (name: string, value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]));

function convert(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    override: ({ jsonSchema }) => {
      // The largest safe integers say nothing that "integer" in JSON does not already say to every reader.
      if (io === 'input') return;
      delete jsonSchema.additionalProperties;
      delete jsonSchema.propertyNames;
      // The largest safe integers add nothing to "integer" in JSON.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return withSingleTypes(rest) as JsonSchema;
}

/** `anyOf` in place of a list of types, which some clients cannot read. zod makes such lists last, so this comes after. */
function withSingleTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withSingleTypes);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withSingleTypes(value)]),
  );
  if (!Array.isArray(parts['type'])) return parts;
  const { type: types, description, ...limits } = parts;
  return {
    ...(description === undefined ? {} : { description }),
    anyOf: types.map((type: unknown) => (type === 'null' ? { type } : { type, ...limits })),
  };
}
