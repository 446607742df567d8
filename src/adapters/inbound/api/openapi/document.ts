import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { API_PREFIX, GROUPS, type Group, type Operation } from '../operation.ts';
import { errorTable, namedReplies } from './error-replies.ts';
import { routeObject } from './route-object.ts';
import { sharedSchemas } from './shared-schemas.ts';
import type { OpenApiDocument, OperationObject, PathItem } from './types.ts';

/** The document's own address, below the API's prefix. */
export const DOCUMENT_PATH = '/openapi.json';

const ABOUT = `Send an API token with each request, as \`Authorization: Bearer <token>\`. A token has scopes, and can be limited to certain features, servers and IP addresses. Anything that it has no access to is not found.

Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\` and one sentence in \`detail\` that says what to do. For invalid input, \`errors\` lists each field.

Lists are paginated: \`limit\` and \`offset\` select the page, and \`total\` is the number of all entries.

A POST can have an \`Idempotency-Key\`. If you repeat the request within 24 hours, it is not executed again, and you get the first response with \`Idempotency-Replayed: true\`.

Times are UTC in ISO 8601 with milliseconds. Unknown and never are \`null\`. Every response has an \`X-Request-Id\`, which is also in the service log.`;

const GROUP_TEXT: Readonly<Record<Group, string>> = {
  Access: 'Version, endpoints, and the permissions of a token.',
  Fleet: 'Servers and their stored inventory, services and alerts. These operations do not contact servers.',
  Jobs: 'Start jobs on servers, follow and cancel them.',
  Schedules: 'Recurring jobs and maintenance windows.',
  Templates: 'Templates of Compose projects, and their deployments.',
  Backups: 'Snapshots, backup sources and repositories.',
  Files: "Files in a server's file root (`jail`), the only directory that file operations can access.",
};

/**
 * Everything that `/api/v1` does, as OpenAPI 3.1, from the schemas that check inputs. `publicUrl`: under which examples
 * reach the service.
 */
export function openApiDocument(
  catalogue: readonly Operation[],
  { version, publicUrl }: { readonly version: string; readonly publicUrl: string | null },
): OpenApiDocument {
  const baseUrl = publicUrl ?? 'http://localhost:8888';
  const groups = GROUPS.filter((name) => catalogue.some(({ group }) => group === name));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Drover',
      summary: 'Manage Linux servers over SSH: inventory, backups, updates and containers.',
      description: ABOUT,
      version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: API_PREFIX }],
    security: [{ bearer: [] }],
    tags: groups.map((name) => ({ name, description: GROUP_TEXT[name] })),
    paths: pathsOf(catalogue, baseUrl),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'drv_ and 36 characters',
          description: 'An API token. Create one with `drover token create`.',
        },
      },
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'A unique text for each request, such as a UUID. It makes a retry safe.',
          schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
        },
      },
      headers: HEADERS,
      responses: namedReplies(),
      schemas: sharedSchemas(),
    },
    'x-error-codes': errorTable(catalogue),
  };
}

const HEADERS = {
  'Idempotency-Replayed': {
    description: '`true`: this is the stored first response.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': { description: 'Seconds to wait before you try again.', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'The required authentication scheme.', schema: { type: 'string' } },
};

function pathsOf(catalogue: readonly Operation[], baseUrl: string): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const operation of catalogue) {
    for (const route of operation.routes) {
      const path = route.path || '/';
      const method = route.method.toLowerCase();
      paths[path] = { ...paths[path], [method]: routeObject(operation, route, baseUrl) };
    }
  }
  return { ...paths, [DOCUMENT_PATH]: { get: aboutItself(baseUrl) } };
}

const aboutItself = (baseUrl: string): OperationObject => ({
  operationId: 'openapi',
  summary: 'Get this document',
  description: 'The OpenAPI document. It needs no token.',
  tags: ['Access'],
  security: [],
  responses: {
    200: {
      description: 'An OpenAPI 3.1 document',
      content: { 'application/json': { schema: { type: 'object' } } },
    },
  },
  'x-codeSamples': [
    {
      lang: 'Shell',
      label: 'Without a token',
      source: shellCommand`curl -s ${`${baseUrl}${API_PREFIX}${DOCUMENT_PATH}`}`,
    },
  ],
});
