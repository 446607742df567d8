import type { IncomingMessage } from 'node:http';
import type { Authenticate } from '../../../application/access/authenticate.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import type { HttpContext } from './context.ts';
import type { RateLimits } from './rate-limit.ts';

/** Finds out who calls; throws as `Authenticate` does, and `RateLimited`. */
export type Bearer = (ctx: HttpContext) => Promise<Actor>;

/** One scheme (in any case), blanks, one secret without any. */
const BEARER = /^bearer +(\S+)$/i;

export function bearer(authenticate: Pick<Authenticate, 'execute'>, limits: RateLimits): Bearer {
  return async (ctx) => {
    const secret = presentedSecret(ctx.req);
    const actor = await authenticate.execute({ secret, address: ctx.state.client });
    ctx.state.tokenId = actor.id;
    limits.takeToken(actor.id);
    return actor;
  };
}

function presentedSecret(req: IncomingMessage): string {
  // Node keeps the first of several; a proxy in front may have checked another.
  if (timesSent(req, 'authorization') > 1) {
    throw new DomainError('unauthorized', 'Send exactly one Authorization header.');
  }
  // A missing token is refused like a wrong one; on a demo the message says that there are no tokens.
  return BEARER.exec(req.headers.authorization?.trim() ?? '')?.[1] ?? '';
}

/** How often a header was sent; the name in lower case. */
export function timesSent(req: IncomingMessage, name: string): number {
  let times = 0;
  for (let at = 0; at < req.rawHeaders.length; at += 2) {
    const sent = req.rawHeaders[at];
    if (sent?.length === name.length && sent.toLowerCase() === name) times += 1;
  }
  return times;
}
