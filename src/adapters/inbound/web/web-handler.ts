import { Router } from '@koa/router';
import type { Middleware } from 'koa';
import type { ForwardAuth } from '../../../application/access/forward-auth.ts';
import type { OwnAccount } from '../../../application/access/own-account.ts';
import type { ConfirmPassword, ResumeSession, Visitor } from '../../../application/access/sessions.ts';
import type { RecordReads } from '../../../application/events/record-reads.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { Logger } from '../../../application/ports/base/logger.ts';
import { DomainError, isDomainError } from '../../../domain/base/errors.ts';
import { statusOf } from '../api/error-table.ts';
import { readForm } from '../http/body.ts';
import type { HttpContext, RequestState } from '../http/context.ts';
import { isSecure } from '../http/transport-security.ts';
import { discardRest, readForm as readUpload, requireForm } from '../http/upload.ts';
import { givePassword, heldForm, PASSWORD_FIELD, signedOutForm } from './confirm-step.ts';
import type { EventStreams } from './event-streams.ts';
import { extentOf } from './extent.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import type { NavigationCounter } from './navigation-counter.ts';
import { readOf } from './page-reads.ts';
import { elsewhere, isForScript, refusalPage } from './refusals.ts';
import type { SentFile, SignedInVisit, StreamReply, Visit, WebReply, WebRoute } from './route.ts';
import { requireSameOrigin } from './same-origin.ts';
import { isLive, send } from './send-reply.ts';
import {
  cookieOf,
  deviceSecret,
  passkeySecret,
  sessionSecret,
  setSession,
  ssoSecret,
} from './session-cookie.ts';
import type { StaticFiles } from './static-files.ts';
import { densityOf, themeOf } from './theme.ts';

/** The content security policy of pages: only resources from this service. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The user of all visitors if there is no sign-in. */
export interface Guest {
  readonly visitor: (address: string) => Visitor;
  /** Throws for actions that the demo does not simulate. */
  readonly admit: (path: string) => void;
  /** Identifies the visitor's copy of the demo; `null` for what all visitors see. */
  readonly secret: string | null;
}

export interface WebDeps {
  /** Null: users sign in. */
  readonly guest: Guest | null;
  readonly routes: readonly WebRoute[];
  readonly resumeSession: Pick<ResumeSession, 'execute'>;
  readonly forwardAuth: Pick<ForwardAuth, 'settings' | 'keeps'>;
  readonly ownAccount: Pick<OwnAccount, 'requireConfirmed'>;
  readonly confirmPassword: Pick<ConfirmPassword, 'execute'>;
  readonly counts: Pick<NavigationCounter, 'of' | 'forget'>;
  readonly recordReads: Pick<RecordReads, 'note'>;
  readonly files: StaticFiles;
  readonly streams: EventStreams;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  readonly trustedProxies: readonly string[];
  readonly publicUrl: string | null;
  readonly backupStaleHours: number;
}

/** The web UI's entry point: identifies the user, checks the route's requirements, and renders its result. */
export function webHandler(deps: WebDeps): Middleware<RequestState> {
  const router = new Router<RequestState>({ sensitive: true });
  for (const route of deps.routes) {
    router.register(route.path, [route.method], async (ctx) => {
      ctx.state.route = route.path;
      await answer(ctx, route, deps);
    });
  }
  const routes = router.routes();
  return (ctx, next) =>
    routes(ctx as never, () => {
      if (!wantsPage(ctx)) return next();
      if (!router.match(ctx.path, 'POST').route) return answer(ctx, NO_PAGE, deps);
      // A refused form leaves its own address in the browser: the page that has it is above.
      ctx.status = 303;
      ctx.set('Location', ctx.path.replace(/\/[^/]*$/, '') || '/');
      return Promise.resolve();
    });
}

/** Users who typed an address get a page; programs get what they can read. */
const wantsPage = (ctx: HttpContext): boolean =>
  ctx.method === 'GET' && ctx.get('Accept').includes('text/html') && !/^\/(?:api|mcp)(?:\/|$)/.test(ctx.path);

const NO_PAGE: WebRoute = {
  method: 'GET',
  path: '/:unknown',
  needs: 'nobody',
  handle: () => {
    throw new DomainError('not_found', 'There is no page at this address.');
  },
};

async function answer(ctx: HttpContext, route: WebRoute, deps: WebDeps): Promise<void> {
  const secure = needsSecureCookies(ctx, deps);
  let secret = deps.guest ? deps.guest.secret : sessionSecret(ctx, secure);
  let visitor: Visitor | null = null;
  let form: URLSearchParams | null = null;
  ctx.set('Content-Security-Policy', POLICY);
  // After a form, its address is the way back; a secret stays out of it.
  if (!ctx.querystring.includes('token_secret')) ctx.set('Referrer-Policy', 'same-origin');
  try {
    if (deps.guest) visitor = deps.guest.visitor(ctx.state.client);
    else if (secret !== null) {
      const use = route.byItself || isLive(ctx) ? 'none' : 'counts';
      visitor = await deps.resumeSession.execute(secret, ctx.state.client, use);
      if (visitor && !(await deps.forwardAuth.keeps(visitor, forwardedHeaders(ctx, deps)))) visitor = null;
    }
    if (route.method === 'POST') requireSameOrigin(ctx.req, deps.publicUrl);
    if (route.method === 'POST') deps.guest?.admit(ctx.path);
    if (route.needs !== 'nobody') requireVisitor(route, visitor, paramsOf(ctx));
    if (!takesFile(route)) form = await fieldsOf(ctx);
    if (form?.has(PASSWORD_FIELD) && visitor?.session.stage === 'full') {
      const now = await givePassword(visitor, form, ctx.state.client, deps);
      if (now !== null) {
        ({ visitor, secret } = now);
        setSession(ctx, secret, secure);
      }
    }
    const reply = await handle(ctx, route, { visitor, form }, deps);
    if (route.method === 'GET' && !route.byItself && !isLive(ctx)) noteRead(ctx, route, visitor, deps);
    if (route.method === 'POST') deps.counts.forget();
    if (reply.kind === 'stream') follow(ctx, route, reply, { visitor, secret: secret ?? '', deps });
    else await send(ctx, reply, { route, visitor, secret, secure, deps });
  } catch (error) {
    if (!isDomainError(error) || isForScript(ctx, error)) throw error;
    if (statusOf(error.code) >= 500) {
      deps.logger.warn('request failed', { request_id: ctx.state.requestId, error });
    }
    const isBarred = visitor?.mustSetUpTwoFactor ?? false;
    const reply =
      (await signedOutForm(ctx, error, route)) ??
      heldForm(ctx, error, { visitor, form }) ??
      elsewhere(ctx, error, isBarred) ??
      refusalPage(ctx, error);
    await send(ctx, reply, { route: null, visitor, secret, secure, deps });
  }
}

/** What a user opened; not what an open page refreshes. */
function noteRead(ctx: HttpContext, { path }: WebRoute, visitor: Visitor | null, deps: WebDeps): void {
  const read = readOf(path, paramsOf(ctx), new URLSearchParams(ctx.querystring));
  if (read !== null && visitor !== null) deps.recordReads.note(visitor.actor, read);
}

async function handle(
  ctx: HttpContext,
  route: WebRoute,
  { visitor, form }: Sender,
  deps: WebDeps,
): Promise<WebReply> {
  if (route.needs === 'nobody') return route.handle(await visitOf(ctx, { visitor, form }, deps));
  try {
    if (route.confirm) deps.ownAccount.requireConfirmed(visitor as Visitor);
    return await route.handle((await visitOf(ctx, { visitor, form }, deps)) as SignedInVisit);
  } finally {
    if (form === null && !ctx.req.complete) {
      await discardRest(ctx.req);
      if (!ctx.req.complete) ctx.set('Connection', 'close');
    }
  }
}

async function visitOf(ctx: HttpContext, { visitor, form: read }: Sender, deps: WebDeps): Promise<Visit> {
  const gone = new AbortController();
  ctx.res.once('close', () =>
    gone.abort(new DomainError('host_connection_lost', 'The browser closed the connection.')),
  );
  const { form, file } = read === null ? await uploadOf(ctx) : { form: read, file: null };
  return {
    visitor,
    params: paramsOf(ctx),
    query: new URLSearchParams(ctx.querystring),
    form,
    file,
    gone: gone.signal,
    lastEventId: ctx.get('Last-Event-ID') || null,
    browser: {
      address: ctx.state.client,
      agent: ctx.req.headers['user-agent'] ?? '',
      device: deviceSecret(ctx, needsSecureCookies(ctx, deps)),
    },
    forwarded: forwardedHeaders(ctx, deps),
    ssoSecret: ssoSecret(ctx, needsSecureCookies(ctx, deps)),
    passkeySecret: passkeySecret(ctx, needsSecureCookies(ctx, deps)),
    origin: `${isSecure(ctx.req, deps.trustedProxies) ? 'https' : 'http'}://${ctx.req.headers.host}`,
    theme: themeOf(ctx),
    density: densityOf(ctx),
    zone: cookieOf(ctx, ZONE_COOKIE),
    now: deps.clock.now(),
  };
}

/** A script keeps it. */
const ZONE_COOKIE = 'drover-zone';

/** Who sent which fields; the form is `null` if it brings a file, and is read later. */
export interface Sender {
  readonly visitor: Visitor | null;
  readonly form: URLSearchParams | null;
}

const takesFile = (route: WebRoute): boolean => route.needs !== 'nobody' && route.takes === 'file';

const fieldsOf = (ctx: HttpContext): Promise<URLSearchParams> | URLSearchParams =>
  ctx.method === 'POST' ? readForm(ctx) : new URLSearchParams();

async function uploadOf(
  ctx: HttpContext,
): Promise<{ readonly form: URLSearchParams; readonly file: SentFile }> {
  requireForm(ctx.req);
  const { fields, file } = await readUpload(ctx.req);
  return { form: new URLSearchParams([...fields]), file };
}

const paramsOf = (ctx: HttpContext): Record<string, string> =>
  (ctx as HttpContext & { params: Record<string, string> }).params;

/** As long as the user has the same rights: after a change, the browser asks again. */
function follow(
  ctx: HttpContext,
  route: WebRoute,
  reply: StreamReply,
  { visitor, secret, deps }: { visitor: Visitor | null; secret: string; deps: WebDeps },
): void {
  const { needs } = route;
  if (needs === 'nobody' || visitor === null) throw new Error(`${route.path} streams without a session`);
  const { client } = ctx.state;
  const rights = rightsOf(visitor);
  const resume = async (): Promise<Visitor | null> => {
    const still = deps.guest?.visitor(client) ?? (await deps.resumeSession.execute(secret, client, 'none'));
    return still?.session.stage === 'full' && !still.mustSetUpTwoFactor && rightsOf(still) === rights
      ? still
      : null;
  };
  deps.streams.begin(ctx, visitor, { kind: route.path, follow: reply.follow, resume });
}

const rightsOf = ({ user }: Visitor): string =>
  JSON.stringify([user.role, [...user.serverRoles].toSorted(([one], [other]) => one - other)]);

/** Throws `not_signed_in`, `two_factor_required`, `role_missing`. */
function requireVisitor(
  route: Exclude<WebRoute, { needs: 'nobody' }>,
  visitor: Visitor | null,
  params: Readonly<Record<string, string>>,
): void {
  const { needs, beforeTwoFactor } = route;
  if (visitor === null || (needs !== 'code' && visitor.session.stage !== 'full')) {
    throw new DomainError('not_signed_in', 'Sign in to see this page.');
  }
  if (beforeTwoFactor) return;
  if (visitor.mustSetUpTwoFactor) {
    throw new DomainError(
      'two_factor_required',
      'Set up two-factor authentication first; your role requires it.',
    );
  }
  if (needs !== 'code') visitor.actor.requireRole(needs, extentOf(route, params));
}

/** If the public address is HTTPS, cookies are secure even if a proxy does not report HTTPS. */
const needsSecureCookies = (ctx: HttpContext, { publicUrl, trustedProxies }: WebDeps): boolean =>
  publicUrl?.startsWith('https:') || isSecure(ctx.req, trustedProxies);
