import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { API_PREFIX, GROUPS, type Group, type Operation } from '../operation.ts';
import { errorTable, namedReplies } from './error-replies.ts';
import { routeObject } from './route-object.ts';
import { sharedSchemas } from './shared-schemas.ts';
import type { OpenApiDocument, OperationObject, PathItem } from './types.ts';

/** The document's own address, below the API's prefix. */
export const DOCUMENT_PATH = '/openapi.json';

const ABOUT = `Scripts and agents send an API token with each request, as \`Authorization: Bearer <token>\`. A token has scopes, and may be held to some features, servers and addresses; what it may not see does not exist for it.

Refusals and failures are \`application/problem+json\` (RFC 9457) with a stable \`code\` and one sentence in \`detail\` that says what to do. For bad input \`errors\` names each place.

Lists come in pages: \`limit\` and \`offset\` choose the window, \`total\` says how many there are in all.

A POST may carry an \`Idempotency-Key\`. Sent again within 24 hours, the same request is not done again: it gets the first reply, with \`Idempotency-Replayed: true\`.

Times are UTC in ISO 8601 with milliseconds. Unknown and never are \`null\`. Every reply has an \`X-Request-Id\`, which the service's log has as well.`;

const GROUP_TEXT: Readonly<Record<Group, string>> = {
  Access: 'Versions, endpoints, and the rights of a token.',
  Fleet: 'Servers and what is known of them. Nothing here asks a host: it is what was found last.',
  Jobs: 'Work on servers: started at once, followed until it is done.',
  Schedules: 'Recurring jobs and maintenance windows.',
  Templates: 'Compose projects to be deployed, and what was.',
  Backups: 'What backups left.',
  Files: "Files in a server's jail, the one directory that file operations may touch.",
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
      summary: 'Looks after a fleet of Linux servers.',
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
          description: 'An API token; `drover token create` makes one.',
        },
      },
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'Any text that is new for each new request, such as a UUID. With it a request may be sent again safely.',
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
    description: '`true`: this is the first reply again.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'The kind of token that is asked for.', schema: { type: 'string' } },
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
