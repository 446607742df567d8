import type { Visitor } from '../../../application/access/sessions.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import { staleBefore } from '../../../domain/fleet/fleet-conditions.ts';
import type { HttpContext } from '../http/context.ts';
import { giveFile } from '../http/transfers.ts';
import { LIVE_SOURCE, LivePart } from './components/live-page.tsx';
import { sendPage } from './compression.ts';
import { setFlash, takeFlash } from './flash-cookie.ts';
import type { NavigationCounter } from './navigation-counter.ts';
import { renderPage, renderPart } from './render.tsx';
import type { PageReply, StreamReply, WebReply, WebRoute } from './route.ts';
import { setDevice, setPasskey, setSession, setSso } from './session-cookie.ts';
import type { StaticFiles } from './static-files.ts';
import { densityOf, setDensity, setTheme, themeOf } from './theme.ts';
import { toastOf } from './toasts.ts';

interface Deps {
  /** Null: users sign in. */
  readonly guest: object | null;
  readonly counts: Pick<NavigationCounter, 'of'>;
  readonly files: StaticFiles;
  readonly clock: Pick<Clock, 'now'>;
  readonly backupStaleHours: number;
}

interface Sending {
  /** `null`: it refused. */
  readonly route: WebRoute | null;
  readonly visitor: Visitor | null;
  /** Of the session. */
  readonly secret: string | null;
  readonly secure: boolean;
  readonly deps: Deps;
}

export async function send(
  ctx: HttpContext,
  reply: Exclude<WebReply, StreamReply>,
  { route, visitor, secret, secure, deps }: Sending,
): Promise<void> {
  if (reply.kind === 'json') {
    if (reply.passkey !== undefined) setPasskey(ctx, reply.passkey, secure);
    ctx.body = reply.value;
    return;
  }
  if (reply.kind === 'redirect') {
    const toast = route === null ? null : toastOf(route, reply, ctx.path);
    if (toast !== null && secret !== null) setFlash(ctx, toast, secret, secure);
    if (reply.session !== undefined) setSession(ctx, reply.session, secure);
    if (reply.device) setDevice(ctx, reply.device, secure);
    if (reply.sso !== undefined) setSso(ctx, reply.sso, secure);
    if (reply.passkey !== undefined) setPasskey(ctx, reply.passkey, secure);
    if (reply.theme !== undefined) setTheme(ctx, reply.theme);
    if (reply.density !== undefined) setDensity(ctx, reply.density);
    ctx.status = 303;
    ctx.set('Location', reply.to);
    return;
  }
  if (reply.kind === 'file') {
    giveFile(ctx, reply);
    return;
  }
  if (reply.kind === 'part') {
    ctx.status = 200;
    await sendPage(ctx, renderPart(reply.body));
    return;
  }
  const shown = withHead(reply, deps);
  const isRead = route?.method === 'GET' && reply.status === 200;
  const live = reply.live?.all && isRead ? ctx.originalUrl : null;
  if (visitor !== null && reply.live && isLive(ctx)) {
    ctx.status = reply.status;
    await sendPage(
      ctx,
      renderPart(LivePart({ reply: shown, path: ctx.path, user: visitor.user, address: live })),
    );
    return;
  }
  const isIn = visitor?.session.stage === 'full' && !visitor.mustSetUpTwoFactor;
  const html = renderPage(shown, {
    user: isIn ? visitor.user : null,
    files: deps.files,
    theme: themeOf(ctx),
    density: densityOf(ctx),
    path: ctx.path,
    live,
    counts: isIn && reply.area !== null ? await deps.counts.of(visitor.actor) : null,
    isDemo: deps.guest !== null,
    toast: isIn ? takeFlash(ctx, secret, secure) : null,
  });
  ctx.status = reply.status;
  await sendPage(ctx, html);
}

/** The open page asks, whether or not a user is there: it does not extend the session. */
export const isLive = (ctx: HttpContext): boolean => ctx.get('HX-Source') === LIVE_SOURCE;

function withHead(reply: PageReply, { clock, backupStaleHours }: Deps): PageReply {
  if (reply.headOf === undefined) return reply;
  const now = clock.now();
  return { ...reply, header: reply.headOf({ now, staleBefore: staleBefore(now, backupStaleHours) }) };
}
