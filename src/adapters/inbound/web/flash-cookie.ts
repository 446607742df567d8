import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HttpContext } from '../http/context.ts';
import type { Toast } from './route.ts';
import { cookieOf } from './session-cookie.ts';

const NAME = 'drover-flash';
/** Seconds that a browser has to ask for the page that shows it. */
const LIFE = 30;
const MAX_LENGTH = 1_000;

/** Signed with the session's secret, which every replica sees and no other site does. */
const signatureOf = (text: string, session: string): string =>
  createHmac('sha256', session).update(text).digest('base64url');

/** Words for the next page that the browser asks for. */
export function setFlash(ctx: HttpContext, toast: Toast, session: string, secure: boolean): void {
  const text = Buffer.from(JSON.stringify(toast)).toString('base64url');
  put(ctx, `${text}.${signatureOf(text, session)}`, LIFE, secure);
}

/** The words, once; `null`: there are none, or the signature is wrong. */
export function takeFlash(ctx: HttpContext, session: string | null, secure: boolean): Toast | null {
  const raw = cookieOf(ctx, NAME);
  if (raw === null || raw === '') return null;
  put(ctx, '', 0, secure);
  const [text = '', signature = ''] = raw.split('.');
  if (session === null || text.length > MAX_LENGTH) return null;
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(text, session))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Toast;
}

function put(ctx: HttpContext, value: string, life: number, secure: boolean): void {
  const rest = ['Path=/', 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
  ctx.append('Set-Cookie', [`${NAME}=${value}`, `Max-Age=${life}`, ...rest].join('; '));
}
