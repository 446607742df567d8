import { SESSION_LONGEST } from '../../domain/session.ts';
import type { HttpContext } from '../http/context.ts';

/** Browsers take a cookie with this prefix from its own host alone, over HTTPS, for all paths. */
const OVER_HTTPS = '__Host-drover';
const OVER_HTTP = 'drover';

/** The secret in the request's cookie, or null. */
export const sessionSecret = (ctx: HttpContext, secure: boolean): string | null =>
  cookieOf(ctx, secure ? OVER_HTTPS : OVER_HTTP);

/** What the browser keeps under this name, or null. */
export function cookieOf(ctx: HttpContext, name: string): string | null {
  for (const pair of (ctx.req.headers.cookie ?? '').split(';')) {
    const [key = '', ...value] = pair.trim().split('=');
    if (key === name) return value.join('=');
  }
  return null;
}

/** Hands the browser a session's secret, or takes it away. */
export function setSession(ctx: HttpContext, secret: string | null, secure: boolean): void {
  const rest = ['Path=/', 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
  const name = secure ? OVER_HTTPS : OVER_HTTP;
  const life = secret === null ? 0 : Math.floor(SESSION_LONGEST / 1000);
  ctx.append('Set-Cookie', [`${name}=${secret ?? ''}`, `Max-Age=${life}`, ...rest].join('; '));
}
