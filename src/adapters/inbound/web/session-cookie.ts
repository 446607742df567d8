import { DEVICE_LIFE } from '../../../domain/access/known-device.ts';
import { CHALLENGE_LIFE } from '../../../domain/access/passkey.ts';
import { SESSION_LONGEST } from '../../../domain/access/session.ts';
import { SSO_FLOW_LIFE } from '../../../domain/access/sso-identity.ts';
import type { HttpContext } from '../http/context.ts';

/** Browsers accept a cookie with this prefix only from its own host, over HTTPS, for all paths. */
const OVER_HTTPS = '__Host-drover';
const OVER_HTTP = 'drover';
/** The browser's cookie: it outlives the session. */
const DEVICE = '-device';
/** A sign-in that goes on at a provider. */
const SSO = '-sso';
/** A sign-in that waits for a passkey. */
const PASSKEY = '-passkey';

/** The secret in the request's cookie, or null. */
export const sessionSecret = (ctx: HttpContext, secure: boolean): string | null =>
  cookieOf(ctx, secure ? OVER_HTTPS : OVER_HTTP);

/** The secret by which the browser is recognised, or null. */
export const deviceSecret = (ctx: HttpContext, secure: boolean): string | null =>
  cookieOf(ctx, (secure ? OVER_HTTPS : OVER_HTTP) + DEVICE);

/** The browser's cookie of this name, or null. */
export function cookieOf(ctx: HttpContext, name: string): string | null {
  for (const pair of (ctx.req.headers.cookie ?? '').split(';')) {
    const [key = '', ...value] = pair.trim().split('=');
    if (key === name) return value.join('=');
  }
  return null;
}

/** Sets or deletes the session cookie. */
export const setSession = (ctx: HttpContext, secret: string | null, secure: boolean): void =>
  setCookie(ctx, '', { value: secret ?? '', life: secret === null ? 0 : SESSION_LONGEST }, secure);

/** Hands the browser the secret by which it is recognised at its next sign-in. */
export const setDevice = (ctx: HttpContext, secret: string, secure: boolean): void =>
  setCookie(ctx, DEVICE, { value: secret, life: DEVICE_LIFE }, secure);

/** The secret of a sign-in that the browser started at a provider, or null. */
export const ssoSecret = (ctx: HttpContext, secure: boolean): string | null =>
  cookieOf(ctx, (secure ? OVER_HTTPS : OVER_HTTP) + SSO);

/** Binds a sign-in at a provider to the browser, or ends that. */
export const setSso = (ctx: HttpContext, secret: string | null, secure: boolean): void =>
  setCookie(ctx, SSO, { value: secret ?? '', life: secret === null ? 0 : SSO_FLOW_LIFE }, secure);

/** The secret of a challenge to sign in with a passkey that the browser asked for, or null. */
export const passkeySecret = (ctx: HttpContext, secure: boolean): string | null =>
  cookieOf(ctx, (secure ? OVER_HTTPS : OVER_HTTP) + PASSKEY);

/** Binds a challenge to the browser, or ends that. */
export const setPasskey = (ctx: HttpContext, secret: string | null, secure: boolean): void =>
  setCookie(ctx, PASSKEY, { value: secret ?? '', life: secret === null ? 0 : CHALLENGE_LIFE }, secure);

/** `life` in milliseconds. */
function setCookie(
  ctx: HttpContext,
  suffix: string,
  { value, life }: { readonly value: string; readonly life: number },
  secure: boolean,
): void {
  const rest = ['Path=/', 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
  const name = (secure ? OVER_HTTPS : OVER_HTTP) + suffix;
  ctx.append('Set-Cookie', [`${name}=${value}`, `Max-Age=${Math.floor(life / 1000)}`, ...rest].join('; '));
}
