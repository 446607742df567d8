import {
  isReference,
  METHODS,
  type OpenApiDocument,
  type OperationObject,
  type Reference,
  type Response,
} from '../../src/adapters/inbound/api/openapi/types.ts';
import { type Field, membersOf } from './schema-words.ts';

/** An operation at its address, as readers of the document see it. */
export interface Endpoint {
  readonly method: string;
  /** With the prefix of the API. */
  readonly path: string;
  readonly operation: OperationObject;
}

export interface Group {
  readonly name: string;
  readonly description: string;
  readonly endpoints: readonly Endpoint[];
}

/** The endpoints of each tag, in the order of the document. */
export function groupsOf(document: OpenApiDocument): readonly Group[] {
  const prefix = prefixOf(document);
  const endpoints = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): Endpoint[] => {
      const operation = item[method];
      return operation ? [{ method, path: `${prefix}${path === '/' ? '' : path}`, operation }] : [];
    }),
  );
  return document.tags.map((tag) => ({
    ...tag,
    endpoints: endpoints.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
}

export const prefixOf = ({ servers }: OpenApiDocument): string => servers[0]?.url ?? '';

/** The scope that an operation needs; `undefined`: none, and no token. */
export const scopeOf = ({ security }: OperationObject): string | undefined => security[0]?.['bearer']?.[0];

/** The description without its last sentence, which names the scope. */
export const aboutOf = ({ description }: OperationObject): string =>
  description.replace(/\n\nNeeds the scope `\w+`\.$/, '');

/** All inputs of an operation, with their places. */
export function inputsOf(operation: OperationObject, document: OpenApiDocument): readonly Field[] {
  const { parameters = [], requestBody } = operation;
  const outside = parameters.flatMap((each) => {
    const found = isReference(each) ? document.components.parameters[lastPart(each)] : each;
    return found ? [{ ...found, place: found.in }] : [];
  });
  // JSON or a form, never both
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  return [...outside, ...(body ? membersOf(body).map((field) => ({ ...field, place: 'body' })) : [])];
}

export interface Reply extends Response {
  readonly status: number;
}

/** A code with its status. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
}

/** An operation's refusals beyond the common ones. */
export function refusalsOf(operation: OperationObject, document: OpenApiDocument): readonly Refusal[] {
  const replies = repliesOf(operation, document).filter(({ status }) => status >= 400);
  const own = new Set(
    Object.entries(document['x-error-codes']).flatMap(([code, { general }]) => (general ? [] : [code])),
  );
  return replies.flatMap(({ status, description }) =>
    Array.from(description.matchAll(/^`(\w+)`:/gm), ([, code = '']) => ({ status, code })).filter(
      ({ code }) => own.has(code),
    ),
  );
}

/** Common refusals of all requests. */
export const generalRefusals = (document: OpenApiDocument): readonly Refusal[] =>
  Object.entries(document['x-error-codes']).flatMap(([code, { status, general }]) =>
    general ? [{ status, code }] : [],
  );

/** All that an operation may answer. */
export function repliesOf(operation: OperationObject, document: OpenApiDocument): readonly Reply[] {
  return Object.entries(operation.responses).flatMap(([status, each]) => {
    const reply = isReference(each) ? document.components.responses[lastPart(each)] : each;
    return reply ? [{ status: Number(status), ...reply }] : [];
  });
}

const lastPart = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf('/') + 1);
