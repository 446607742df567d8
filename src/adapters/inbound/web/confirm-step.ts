import type { ConfirmPassword, ResumeSession, Visitor } from '../../../application/access/sessions.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import { isConfirmed } from '../../../domain/access/session.ts';
import type { DomainError } from '../../../domain/base/errors.ts';
import { readForm } from '../http/body.ts';
import type { HttpContext } from '../http/context.ts';
import { heldFormPage, PASSWORD_FIELD, signedOutPage } from './pages/access/held-form.tsx';
import { otherWay } from './refusals.ts';
import type { PageReply, WebRoute } from './route.ts';

export { PASSWORD_FIELD };

interface Deps {
  readonly confirmPassword: Pick<ConfirmPassword, 'execute'>;
  readonly resumeSession: Pick<ResumeSession, 'execute'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Takes the password out of a form that was held back, so that no page shows it again, and confirms the session with
 * it. Returns the session as it is then, or `null` if it was confirmed before. Throws as `ConfirmPassword`.
 */
export async function givePassword(
  visitor: Visitor,
  form: URLSearchParams,
  address: string,
  { confirmPassword, resumeSession, clock }: Deps,
): Promise<{ readonly visitor: Visitor | null; readonly secret: string } | null> {
  let secret: string | null = null;
  if (!isConfirmed(visitor.session, clock.now())) {
    secret = await confirmPassword.execute(visitor, form.get(PASSWORD_FIELD) ?? '', address);
  }
  form.delete(PASSWORD_FIELD);
  return secret === null ? null : { visitor: await resumeSession.execute(secret, address, 'none'), secret };
}

/** A form that needs the password first, to be sent again with it; `null` if it is not that, or cannot be. */
export function heldForm(
  ctx: HttpContext,
  error: DomainError,
  { visitor, form }: { readonly visitor: Visitor | null; readonly form: URLSearchParams | null },
): PageReply | null {
  if (ctx.method !== 'POST' || form === null || visitor === null || ctx.get('HX-Request') !== '') return null;
  const { user, session } = visitor;
  if (session.provider !== null && !user.hasPassword) return null;
  const isRefused = form.has(PASSWORD_FIELD) && REFUSED.has(error.code);
  if (error.code !== 'confirmation_needed' && !isRefused) return null;
  return heldFormPage({
    action: ctx.path + ctx.search,
    form,
    fault: isRefused ? error.message : null,
    otherWay: session.provider !== null || user.passkeys > 0 ? otherWay(ctx) : null,
  });
}

const REFUSED: ReadonlySet<string> = new Set(['sign_in_failed', 'sign_in_throttled']);

/** A form whose session ended meanwhile, to be sent again after the sign-in; `null` if it holds nothing, or a file. */
export async function signedOutForm(
  ctx: HttpContext,
  { code }: DomainError,
  route: WebRoute,
): Promise<PageReply | null> {
  if (code !== 'not_signed_in' || ctx.method !== 'POST' || ctx.get('HX-Request') !== '') return null;
  if (route.needs === 'nobody' || route.needs === 'code' || route.beforeTwoFactor || route.takes === 'file')
    return null;
  const form = await readForm(ctx);
  return form.size === 0 ? null : signedOutPage(ctx.path + ctx.search, form);
}
