import * as z from 'zod';

export type JsonSchema = { readonly [key: string]: unknown };

/** An input as JSON Schema 2020-12 (the default dialect). */
export const inputJsonSchema = (schema: z.ZodObject): JsonSchema => convert(schema, 'input');

/**
 * An output's schema. It does not forbid further members: a client with the schema of an older version must accept
 * newer fields. Our own tests allow exactly these members.
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
