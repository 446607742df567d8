import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { VERSION } from '../../../../src/adapters/bootstrap/version.ts';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { openApiDocument } from '../../../../src/adapters/inbound/api/openapi/document.ts';
import {
  isReference,
  METHODS,
  type OperationObject,
  type Response,
} from '../../../../src/adapters/inbound/api/openapi/types.ts';

/** The API's document as every interface of the tests serves it. */
export const DOCUMENT = openApiDocument(CATALOGUE, { version: VERSION, publicUrl: null });

export interface Documented {
  readonly method: string;
  /** Below the API's prefix, with names in braces. */
  readonly path: string;
  readonly operation: OperationObject;
}

export const DOCUMENTED: readonly Documented[] = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
  METHODS.flatMap((method) => {
    const operation = item[method];
    return operation ? [{ method: method.toUpperCase(), path, operation }] : [];
  }),
);

const matchers = DOCUMENTED.map(({ method, path, operation }) => {
  const pattern = path === '/' ? '/?' : path.replace(/\{\w+\}/g, '[^/]+');
  return { method, operation, pattern: new RegExp(`^/api/v1${pattern}$`) };
});

/** The operation at an address, if the document has one there. */
export const documentedAt = (method: string, url: string): OperationObject | undefined =>
  matchers.find((each) => each.method === method && each.pattern.test(url.split('?')[0] ?? ''))?.operation;

export const replyOf = (operation: OperationObject, status: number): Response | undefined => {
  const reply = operation.responses[String(status)];
  return reply && isReference(reply)
    ? DOCUMENT.components.responses[reply.$ref.replace('#/components/responses/', '')]
    : reply;
};

const validator = new AjvJsonSchemaValidator();
const compiled = new WeakMap<object, ReturnType<typeof validator.getValidator>>();

/** A value's violations of a schema of the document; empty: none. */
export function faultsOf(schema: object, value: unknown): string {
  const check =
    compiled.get(schema) ?? validator.getValidator({ ...schema, components: DOCUMENT.components } as never);
  compiled.set(schema, check);
  return check(value).errorMessage ?? '';
}

/** A reply's violations of the document; empty: none, or the document does not describe this address. */
export function undocumented(
  method: string,
  url: string,
  reply: { readonly status: number; readonly headers: Headers; readonly json: unknown },
): string {
  const operation = documentedAt(method, url);
  if (!operation) return '';
  const media = replyOf(operation, reply.status)?.content;
  const type = reply.headers.get('content-type')?.split(';')[0] ?? '';
  const found = media?.[type];
  if (!found) return `the document knows no reply ${reply.status} of ${type}`;
  return faultsOf(found.schema, reply.json);
}
