import type { HttpContext } from './context.ts';

/** What every reply says unless it says otherwise: nothing of ours is to be kept, guessed at or put into a page. */
const COMMON: readonly (readonly [string, string])[] = Object.entries({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
});
const REQUEST_ID = 'X-Request-Id';

/** Gives a reply that is still to be sent the common headers that it does not have yet. */
export function addCommonHeaders({ res, state }: HttpContext): void {
  if (res.headersSent) return;
  for (const [name, value] of COMMON) if (!res.hasHeader(name)) res.setHeader(name, value);
  res.setHeader(REQUEST_ID, state.requestId);
}

const FLAT = COMMON.flat();

/** The common headers of one reply, names and values in turn. */
export const commonHeaders = ({ state }: HttpContext): string[] => [...FLAT, REQUEST_ID, state.requestId];
