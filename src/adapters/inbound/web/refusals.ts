import type { DomainError } from '../../../domain/base/errors.ts';
import type { HttpContext } from '../http/context.ts';
import { demoPage, errorPage } from './pages/base/error.tsx';
import type { PageReply, RedirectReply } from './route.ts';

/** The page of a refusal. */
export const refusalPage = (ctx: HttpContext, error: DomainError): PageReply =>
  error.code === 'demo_read_only'
    ? demoPage(error, placeOf(ctx.req.headers.referer)?.pathname ?? '/')
    : errorPage(error, ctx.state.requestId);

/** The redirect for users who have to go elsewhere first. */
export function elsewhere(ctx: HttpContext, { code }: DomainError, isBarred: boolean): RedirectReply | null {
  if (code === 'not_signed_in') return { kind: 'redirect', to: withNext('/sign-in', backOf(ctx)) };
  if (code === 'two_factor_required' && isBarred) return { kind: 'redirect', to: '/account/totp' };
  if (code === 'confirmation_needed') return { kind: 'redirect', to: otherWay(ctx) };
  return null;
}

/** The page that asks for the password, a passkey or the provider. */
export function otherWay(ctx: HttpContext): string {
  const to = withNext('/confirm', backOf(ctx) + placeIn(ctx));
  // What was typed is not kept: it may be a secret, and has no place in an address.
  return ctx.method === 'GET' ? to : `${to}${to.includes('?') ? '&' : '?'}form=1`;
}

const backOf = (ctx: HttpContext): string =>
  ctx.method === 'GET' ? ctx.path : (placeOf(ctx.req.headers.referer)?.pathname ?? '/');

/** A script follows no redirect to a page: it gets the refusal as it is, with its code. */
export const isForScript = (ctx: HttpContext, { code }: DomainError): boolean =>
  ctx.get('Accept') === 'application/json' ||
  (code === 'two_factor_required' &&
    (ctx.get('HX-Request') !== '' || /json|event-stream/.test(ctx.get('Accept'))));

const withNext = (path: string, next: string): string =>
  next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`;

/** Which file of a page one was at; the rest of an address may hold what belongs into no other. */
function placeIn(ctx: HttpContext): string {
  const query =
    ctx.method === 'GET'
      ? new URLSearchParams(ctx.querystring)
      : placeOf(ctx.req.headers.referer)?.searchParams;
  const p = query?.get('p') ?? null;
  return p === null ? '' : `?${new URLSearchParams({ p })}`;
}

const placeOf = (address: string | undefined): URL | null =>
  address !== undefined && URL.canParse(address) ? new URL(address) : null;
