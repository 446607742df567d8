import { shellCommand } from '../../../../domain/base/shell-command.ts';
import type { Example } from '../examples.ts';
import { inputJsonSchema, type JsonSchema, outputJsonSchema } from '../json-schema.ts';
import { API_PREFIX, type Operation, type Route, takesBody } from '../operation.ts';
import { awaitingSchema } from '../views/awaiting-view.ts';
import { errorCodesOf, errorReplies, PROBLEM_TYPE } from './error-replies.ts';
import { refTo, withNames } from './shared-schemas.ts';
import {
  type CodeSample,
  isReference,
  type MediaType,
  type OperationObject,
  type Parameter,
  type Response,
} from './types.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data';
const FILE_TYPE = 'application/octet-stream';

/** One route of an operation, with its inputs if it has any, and all of its replies. */
export function routeObject(operation: Operation, route: Route, baseUrl: string): OperationObject {
  const examples = operation.examples.filter((example) => fits(example, route));
  const fields = fieldsOf(operation, route);
  const outside = fields.filter(({ place }) => place !== 'body').map((field) => parameterOf(field, examples));
  const body = operation.form === 'upload' ? formOf(fields) : bodyOf(fields, route, examples);
  return {
    operationId: route.named?.id ?? operation.name,
    summary: route.named?.title ?? operation.title,
    description: `${operation.description}\n\nNeeds the scope \`${operation.scope}\`.`,
    tags: [operation.group],
    security: [{ bearer: [operation.scope] }],
    parameters: [...outside, ...(route.method === 'POST' ? [refTo('parameters', 'IdempotencyKey')] : [])],
    ...(body === null ? {} : { requestBody: body }),
    responses: repliesOf(operation, route, examples),
    'x-codeSamples': examples
      .filter(({ status }) => status === undefined)
      .map((example) =>
        curlSample(example.title, route, placed(example.input, route), baseUrl, operation.form),
      ),
  };
}

/** Whether the example names all that the route's path has. */
export const fits = ({ input }: Example, { path }: Route): boolean =>
  Array.from(path.matchAll(/\{(\w+)\}/g)).every(([, name = '']) => Object.hasOwn(input, name));

/** The place of an input on a route. */
export function placed(input: object, route: Route): RouteInput {
  const rest = new Map(Object.entries(input));
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  if (takesBody(route)) return { path, body: rest.size === 0 ? null : Object.fromEntries(rest) };
  const query = new URLSearchParams();
  for (const [name, value] of rest) query.set(name, String(value));
  return { path: query.size === 0 ? path : `${path}?${query.toString()}`, body: null };
}

interface Field {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly schema: JsonSchema;
  readonly required: boolean;
}

function fieldsOf(operation: Operation, route: Route): readonly Field[] {
  const { properties, required = [] } = inputJsonSchema(operation.input) as {
    properties: Record<string, JsonSchema>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => {
    const inPath = route.path.includes(`{${name}}`);
    const place = inPath ? 'path' : takesBody(route) ? 'body' : 'query';
    return { name, place, schema, required: inPath || required.includes(name) };
  });
}

function parameterOf({ name, place, schema, required }: Field, examples: readonly Example[]): Parameter {
  const { description, ...rest } = schema;
  const example = examples
    .map(({ input }) => new Map(Object.entries(input)).get(name))
    .find((value) => value !== undefined);
  return {
    name,
    in: place === 'path' ? 'path' : 'query',
    required,
    ...(typeof description === 'string' ? { description } : {}),
    schema: rest,
    ...(example === undefined ? {} : { example }),
  };
}

function bodyOf(fields: readonly Field[], route: Route, examples: readonly Example[]) {
  const inBody = fields.filter(({ place }) => place === 'body');
  if (inBody.length === 0) return null;
  const schema = objectOf(inBody);
  const shown = examples.filter(({ status }) => status === undefined);
  const values = shown.map(({ title, input }) => ({ title, value: placed(input, route).body }));
  return { required: true, content: { [JSON_TYPE]: { schema, ...named(values) } } };
}

function objectOf(fields: readonly Omit<Field, 'place'>[]): JsonSchema {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** The file is the last part. */
function formOf(fields: readonly Field[]) {
  const description = 'The file, after all other fields; its filename is its name';
  const file = {
    name: 'file',
    schema: { type: 'string', contentMediaType: FILE_TYPE, description },
    required: true,
  };
  const schema = objectOf([...fields.filter(({ place }) => place === 'body'), file]);
  return { required: true, content: { [FORM_TYPE]: { schema } } };
}

function repliesOf(
  operation: Operation,
  route: Route,
  examples: readonly Example[],
): OperationObject['responses'] {
  const valuesOf = (status: number) =>
    named(
      examples
        .filter((example) => (example.status ?? route.status) === status)
        .map(({ title, output }) => ({ title, value: output })),
    );
  const success: Response = {
    description: route.status === 202 ? 'Accepted' : 'Done',
    ...(route.method === 'POST'
      ? { headers: { 'Idempotency-Replayed': refTo('headers', 'Idempotency-Replayed') } }
      : {}),
    content:
      operation.form === 'download'
        ? { [FILE_TYPE]: { schema: {} } }
        : {
            [JSON_TYPE]: {
              schema: withNames(outputJsonSchema(operation.output)) as JsonSchema,
              ...valuesOf(route.status),
            },
          },
  };
  const refusals = Object.entries(errorReplies(errorCodesOf(operation, route))).map(([status, reply]) => {
    const media = isReference(reply) ? undefined : reply.content?.[PROBLEM_TYPE];
    if (media === undefined) return [status, reply] as const;
    return [
      status,
      { ...reply, content: { [PROBLEM_TYPE]: { ...media, ...valuesOf(Number(status)) } } },
    ] as const;
  });
  const waits: Response = {
    description: 'The token needs approval: the change is waiting for a reviewer',
    content: { [JSON_TYPE]: { schema: outputJsonSchema(awaitingSchema) } },
  };
  return {
    [route.status]: success,
    ...(operation.effect === 'changes' ? { 202: waits } : {}),
    ...Object.fromEntries(refusals),
  };
}

/** Examples under names that come from their titles. */
function named(values: readonly { title: string; value: unknown }[]): Pick<MediaType, 'examples'> {
  if (values.length === 0) return {};
  const entries = values.map(({ title, value }) => [
    title.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    { summary: title, value },
  ]);
  return { examples: Object.fromEntries(entries) };
}

/** The places of an input's fields on a route. */
interface RouteInput {
  /** Below `/api/v1`, with its query. */
  readonly path: string;
  /** `null`: no body. */
  readonly body: object | null;
}

/** A command that can be pasted into a shell where `TOKEN` is set. */
function curlSample(
  label: string,
  { method }: Route,
  { path, body }: RouteInput,
  baseUrl: string,
  form: Operation['form'] = 'json',
): CodeSample {
  const options = [
    ...(method === 'GET' || (method === 'POST' && body !== null) ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $TOKEN"',
    ...(method === 'POST' ? ['-H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)"'] : []),
    ...(form === 'upload' ? formOptions(body ?? {}) : jsonOptions(body)),
  ];
  const source = [shellCommand`curl -s ${`${baseUrl}${API_PREFIX}${path}`}`, ...options].join(' \\\n  ');
  return { lang: 'Shell', label, source };
}

const jsonOptions = (body: object | null): readonly string[] =>
  body === null ? [] : [`-H 'Content-Type: application/json'`, shellCommand`-d ${JSON.stringify(body)}`];

/** curl sends parts in the order in which they are named. */
const formOptions = (fields: object): readonly string[] => [
  ...Object.entries(fields).map(([name, value]) => shellCommand`--form-string ${`${name}=${value}`}`),
  '-F file=@logo.png',
];
