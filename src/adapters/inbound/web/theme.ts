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

export const setTheme = (ctx: HttpContext, theme: Theme): void =>
  keep(ctx, NAME, theme, theme === 'automatic' ? 0 : YEAR_S);

/** How high the rows of tables are in this browser; the first by default. */
export const DENSITIES = ['comfortable', 'compact'] as const;
export type Density = (typeof DENSITIES)[number];

const DENSITY_NAME = 'drover-density';

export const isDensity = (raw: string | null): raw is Density => DENSITIES.some((each) => each === raw);

export const densityOf = (ctx: HttpContext): Density =>
  cookieOf(ctx, DENSITY_NAME) === 'compact' ? 'compact' : 'comfortable';

export const setDensity = (ctx: HttpContext, density: Density): void =>
  keep(ctx, DENSITY_NAME, density, density === 'compact' ? YEAR_S : 0);

const keep = (ctx: HttpContext, name: string, value: string, life: number): void =>
  ctx.append('Set-Cookie', `${name}=${value}; Max-Age=${life}; Path=/; HttpOnly; SameSite=Lax`);
