import type { HttpContext } from '../http/context.ts';
import { cookieOf } from './session-cookie.ts';

/** The theme chosen in this browser; the system's by default. */
export const THEMES = ['automatic', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const NAME = 'drover-theme';
const YEAR_S = 31_536_000;

export const isTheme = (raw: string | null): raw is Theme => THEMES.some((each) => each === raw);

/** The theme in the request's cookie. */
export function themeOf(ctx: HttpContext): Theme {
  const raw = cookieOf(ctx, NAME);
  return isTheme(raw) ? raw : 'automatic';
}

export function setTheme(ctx: HttpContext, theme: Theme): void {
  const life = theme === 'automatic' ? 0 : YEAR_S;
  ctx.append('Set-Cookie', `${NAME}=${theme}; Max-Age=${life}; Path=/; HttpOnly; SameSite=Lax`);
}
