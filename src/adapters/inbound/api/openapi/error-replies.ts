import type { ErrorCode } from '../../../../domain/base/errors.ts';
import { ERRORS, statusOf, titleOf } from '../error-table.ts';
import { type Operation, type Route, takesBody } from '../operation.ts';
import { refTo } from './shared-schemas.ts';
import type { ErrorEntry, Reference, Response } from './types.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** Common to all requests. */
const ALWAYS: readonly ErrorCode[] = [
  'invalid_request',
  'secret_in_query',
  'unauthorized',
  'address_not_allowed',
  'tokens_disabled',
  'origin_not_allowed',
  'host_not_allowed',
  'invalid_input',
  'rate_limited',
  'internal',
  'database_unavailable',
];
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];
const WITH_KEY: readonly ErrorCode[] = ['idempotency_key_reused', 'idempotency_key_in_use'];
const WITHOUT_SCOPE: readonly ErrorCode[] = ['read_scope_missing', 'scope_missing'];
/** For addresses that belong to no operation. */
const ELSEWHERE: readonly ErrorCode[] = ['not_found', 'method_not_allowed'];
const GENERAL = new Set([...ALWAYS, ...WITH_BODY, ...WITH_KEY, ...WITHOUT_SCOPE, ...ELSEWHERE]);

/** Every code that a request to this route can be refused with. */
export function errorCodesOf(operation: Operation, route: Route): readonly ErrorCode[] {
  return [
    ...ALWAYS,
    operation.scope === 'read' ? 'read_scope_missing' : 'scope_missing',
    ...(takesBody(route) ? WITH_BODY : []),
    ...(route.method === 'POST' ? WITH_KEY : []),
    ...(operation.effect === 'refused' ? (['approval_required'] as const) : []),
    ...(operation.effect === 'changes' ? (['too_many_approvals'] as const) : []),
    ...operation.errors,
  ];
}

/** The codes of all routes, in the order of their statuses. */
export function errorTable(catalogue: readonly Operation[]): Partial<Record<ErrorCode, ErrorEntry>> {
  const codes = new Set([
    ...ELSEWHERE,
    ...catalogue.flatMap((operation) => operation.routes.flatMap((route) => errorCodesOf(operation, route))),
  ]);
  const entries = [...codes].map(
    (code) =>
      [code, { status: statusOf(code), general: GENERAL.has(code), meaning: ERRORS[code].meaning }] as const,
  );
  return Object.fromEntries(entries.sort(([, a], [, b]) => a.status - b.status));
}

/** A reply for each status among the codes. Those that are the same everywhere are named. */
export function errorReplies(codes: readonly ErrorCode[]): Record<string, Response | Reference> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, each]) => {
      const [only] = each;
      const named = each.length === 1 && only !== undefined && NAMED.includes(only);
      return [status, named ? refTo('responses', nameOf(only)) : errorReply(each)];
    }),
  );
}

const NAMED = [...ALWAYS, ...WITH_BODY].filter((code) =>
  [401, 413, 415, 421, 429, 500, 503].includes(statusOf(code)),
);

export const namedReplies = (): Record<string, Response> =>
  Object.fromEntries(NAMED.map((code) => [nameOf(code), errorReply([code])]));

const nameOf = (code: ErrorCode): string => titleOf(code).replaceAll(' ', '');

function errorReply(codes: readonly ErrorCode[]): Response {
  const headers = [...new Set(codes.flatMap((code) => HEADERS[code] ?? []))];
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('\n\n'),
    ...(headers.length === 0
      ? {}
      : { headers: Object.fromEntries(headers.map((name) => [name, refTo('headers', name)])) }),
    content: {
      [PROBLEM_TYPE]: {
        schema: {
          allOf: [
            refTo('schemas', 'Problem'),
            { type: 'object', properties: { code: { enum: [...codes] } } },
          ],
        },
      },
    },
  };
}

const HEADERS: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'WWW-Authenticate',
  idempotency_key_in_use: 'Retry-After',
  rate_limited: 'Retry-After',
  database_unavailable: 'Retry-After',
};
