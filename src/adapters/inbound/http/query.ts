import { DomainError, type InputProblem, InvalidInput } from '../../../domain/base/errors.ts';
import type { HttpContext } from './context.ts';

/** Parameter names that look like secrets, in lower case and letters only. */
const SECRET_NAMES = new Set([
  'accesskey',
  'accesstoken',
  'apikey',
  'apitoken',
  'auth',
  'authorization',
  'authtoken',
  'bearer',
  'bearertoken',
  'clientsecret',
  'idtoken',
  'jwt',
  'key',
  'password',
  'refreshtoken',
  'secret',
  'servicetoken',
  'token',
  'tokensecret',
]);

const OUR_SECRET = /drv_[0-9A-Za-z]{36}/;

/** The part after the question mark. Koa parses the whole address for it, which most requests do not need. */
export const queryOf = (ctx: HttpContext): string => (ctx.req.url?.includes('?') ? ctx.querystring : '');

/** Throws `secret_in_query` if an address contains a secret: addresses end up in logs and histories. */
export function refuseSecrets(querystring: string): void {
  if (querystring === '') return;
  for (const [name, value] of new URLSearchParams(querystring)) {
    const letters = name.toLowerCase().replace(/[^a-z]/g, '');
    if (!SECRET_NAMES.has(letters) && !OUR_SECRET.test(value) && !OUR_SECRET.test(name)) continue;
    throw new DomainError(
      'secret_in_query',
      'Secrets do not belong into the address; send the token as "Authorization: Bearer <token>". A token that was sent in an address should be rotated.',
    );
  }
}

/** The query's parameters; throws `InvalidInput` for one that is there twice. */
export function queryFields(querystring: string): Map<string, string> {
  const fields = new Map<string, string>();
  const problems: InputProblem[] = [];
  for (const [name, value] of new URLSearchParams(querystring)) {
    if (fields.has(name)) problems.push({ path: `/${name.slice(0, 80)}`, message: 'Is there twice.' });
    fields.set(name, value);
  }
  if (problems.length > 0) throw new InvalidInput(problems.slice(0, 20));
  return fields;
}
