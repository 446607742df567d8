import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { checkedInput } from '../../../../src/adapters/inbound/api/checked-input.ts';
import {
  toolInputJsonSchema,
  toolOutputJsonSchema,
} from '../../../../src/adapters/inbound/api/json-schema.ts';
import { InvalidInput } from '../../../../src/domain/base/errors.ts';

const tools = CATALOGUE.flatMap((entry) => (entry.tool ? [{ ...entry, tool: entry.tool }] : []));

function refusedPlaces(schema: z.ZodObject, input: unknown): string[] {
  try {
    checkedInput(schema, input);
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems.map(({ path }) => path);
    throw error;
  }
  return [];
}

/** Every schema inside a JSON schema, with its path. */
function* schemasIn(schema: unknown, path = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof schema !== 'object' || schema === null) return;
  if (!Array.isArray(schema)) yield [path, schema as Record<string, unknown>];
  for (const [key, value] of Object.entries(schema)) yield* schemasIn(value, `${path}/${key}`);
}

describe('the catalogue', () => {
  it('names everything once, and each route once', () => {
    const names = CATALOGUE.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const routes = CATALOGUE.flatMap((entry) => entry.routes.map(({ method, path }) => `${method} ${path}`));
    expect(new Set(routes).size).toBe(routes.length);
  });

  it('lists tools in the fixed order', () => {
    expect(tools.map(({ name }) => name)).toEqual([
      'health',
      'summary',
      'list_servers',
      'get_server',
      'inventory',
      'services',
      'list_jobs',
      'get_job',
      'trigger_job',
      'set_features',
      'list_files',
      'read_file',
      'write_file',
      'mkdir',
      'rename_file',
      'delete_file',
    ]);
  });

  it.each(CATALOGUE.map((entry) => [entry.name, entry] as const))(
    '%s takes the path parameters of its routes, and nothing unknown',
    (_name, entry) => {
      for (const { path } of entry.routes) {
        for (const [, parameter] of path.matchAll(/\{(\w+)\}/g)) {
          expect(Object.keys(entry.input.shape)).toContain(parameter);
        }
      }
      for (const schema of [entry.input, entry.tool?.input].filter((given) => given !== undefined)) {
        expect(refusedPlaces(schema, { surprise: 1 })).toContain('/surprise');
      }
    },
  );

  it.each(CATALOGUE.map((entry) => [entry.name, entry] as const))(
    '%s returns objects whose members are all named',
    (_name, entry) => {
      const { error } = entry.output.safeParse({ surprise: 1 });
      expect(error?.issues.map(({ code }) => code)).toContain('unrecognized_keys');
    },
  );
});

describe('tool descriptions for clients', () => {
  it.each(tools.map((entry) => [entry.name, entry] as const))(
    '%s has an input schema that clients take',
    (_name, entry) => {
      const schema = toolInputJsonSchema(entry.tool.input ?? entry.input);
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
      for (const key of ['anyOf', 'oneOf', 'allOf', 'not', '$ref', '$schema'])
        expect(schema).not.toHaveProperty(key);
      for (const [path, part] of schemasIn(schema)) {
        expect(Array.isArray(part['type']), `${path} has several types`).toBe(false);
        expect(part, path).not.toHaveProperty('format');
      }
    },
  );

  it.each(tools.map((entry) => [entry.name, entry] as const))(
    '%s has an output schema that a newer service does not break',
    (_name, entry) => {
      const schema = toolOutputJsonSchema(entry.tool.output ?? entry.output);
      expect(schema['type']).toBe('object');
      for (const [path, part] of schemasIn(schema)) {
        expect(part['additionalProperties'], path).not.toBe(false);
        expect(Array.isArray(part['type']), `${path} has several types`).toBe(false);
      }
    },
  );

  it.each(tools.map((entry) => [entry.name, entry] as const))(
    '%s says what it does and what comes next',
    (_name, entry) => {
      expect(entry.title.length).toBeGreaterThan(5);
      const description = entry.tool.description ?? entry.description;
      expect(description.length).toBeGreaterThan(130);
      const others = tools.map(({ name }) => name).filter((name) => name !== entry.name);
      expect(
        others.some((name) => description.includes(name)),
        'names another tool',
      ).toBe(true);
    },
  );

  it('hints at what changes something', () => {
    const destructive = tools.filter(({ tool }) => tool.hints.destructiveHint).map(({ name }) => name);
    expect(destructive).toEqual([
      'trigger_job',
      'set_features',
      'write_file',
      'mkdir',
      'rename_file',
      'delete_file',
    ]);
    for (const { tool } of tools) expect(tool.hints.readOnlyHint).toBe(!tool.hints.destructiveHint);
    expect(tools.filter(({ scope }) => scope === 'read').every(({ tool }) => tool.hints.readOnlyHint)).toBe(
      true,
    );
  });
});
