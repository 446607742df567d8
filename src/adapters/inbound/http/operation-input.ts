import { type InputProblem, InvalidInput } from '../../../domain/base/errors.ts';
import { inputJsonSchema } from '../api/json-schema.ts';
import { type Operation, type Route, takesBody } from '../api/operation.ts';
import { readJson } from './body.ts';
import type { HttpContext } from './context.ts';
import { queryFields } from './query.ts';

type Fields = Record<string, unknown>;

/**
 * Collects an operation's input from the places of its route: the path, and the query or the body. Fields are not
 * validated here.
 */
export async function operationInput(ctx: HttpContext, operation: Operation, route: Route): Promise<unknown> {
  const types = typesOf(operation);
  const fromPath = coerced(new Map(Object.entries<string>(ctx['params'] as Record<string, string>)), types);
  const query = queryFields(ctx.querystring);
  if (!takesBody(route)) {
    if (route.method !== 'GET') await refuseBody(ctx);
    return merged(fromPath, coerced(query, types));
  }
  refuseQuery(query);
  const body = await readJson(ctx);
  if (body === undefined) return fromPath;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InvalidInput([{ path: '', message: 'The body must be a JSON object.' }]);
  }
  return merged(fromPath, body as Fields);
}

export function refuseQuery(query: ReadonlyMap<string, string>): void {
  if (query.size > 0)
    throw new InvalidInput(misplaced(query.keys(), 'This request takes no query parameters.'));
}

/** The same of a form's fields. */
export function fieldsInput(
  ctx: HttpContext,
  operation: Operation,
  fields: ReadonlyMap<string, string>,
): unknown {
  const types = typesOf(operation);
  const fromPath = coerced(new Map(Object.entries<string>(ctx['params'] as Record<string, string>)), types);
  return merged(fromPath, coerced(fields, types));
}

async function refuseBody(ctx: HttpContext): Promise<void> {
  const body = await readJson(ctx);
  const fields = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  if (fields.length > 0) throw new InvalidInput(misplaced(fields, 'This request takes no body.'));
}

/** A field that the path has cannot be given once more. */
function merged(fromPath: Fields, rest: Fields): Fields {
  const twice = Object.keys(rest).filter((name) => Object.hasOwn(fromPath, name));
  if (twice.length > 0) throw new InvalidInput(misplaced(twice, 'The path has it already.'));
  return { ...rest, ...fromPath };
}

const misplaced = (names: Iterable<string>, message: string): InputProblem[] =>
  [...names].slice(0, 20).map((name) => ({ path: `/${name.slice(0, 80)}`, message }));

const known = new WeakMap<Operation, ReadonlyMap<string, unknown>>();

function typesOf(operation: Operation): ReadonlyMap<string, unknown> {
  const seen = known.get(operation);
  if (seen) return seen;
  const properties = inputJsonSchema(operation.input)['properties'] as Record<string, { type?: unknown }>;
  const types = new Map(Object.entries(properties).map(([name, { type }]) => [name, type]));
  known.set(operation, types);
  return types;
}

const INTEGER = /^-?(0|[1-9]\d*)$/;
const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['', true],
  ['false', false],
  ['0', false],
]);

/** Converts text to its field's type; text that cannot be converted stays, for the validation to refuse. */
function coerced(texts: ReadonlyMap<string, string>, types: ReadonlyMap<string, unknown>): Fields {
  const fields: Fields = Object.create(null);
  for (const [name, text] of texts) {
    const type = types.get(name);
    if (type === 'integer' && INTEGER.test(text)) fields[name] = Number(text);
    else if (type === 'boolean') fields[name] = BOOLEANS.get(text) ?? text;
    else fields[name] = text;
  }
  return fields;
}
