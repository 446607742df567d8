import * as z from 'zod';

export type JsonSchema = { readonly [key: string]: unknown };

/** What an input has to look like, as JSON Schema 2020-12 (the dialect that holds where none is named). */
export const inputJsonSchema = (schema: z.ZodObject): JsonSchema => convert(schema, 'input');

/**
 * What an output looks like. It does not forbid further members: a client that keeps the schema of an older version must
 * not stumble over a field that was added since. Our own tests hold outputs to exactly these members.
 */
export const outputJsonSchema = (schema: z.ZodObject): JsonSchema => convert(schema, 'output');

function convert(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    override: ({ jsonSchema }) => {
      if (io === 'input') return;
      delete jsonSchema.additionalProperties;
      delete jsonSchema.propertyNames;
      // The largest safe integers say nothing that "integer" in JSON does not already say to every reader.
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
