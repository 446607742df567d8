import type { ForwardAuth } from '../../../application/access/forward-auth.ts';
import type { Logger } from '../../../application/ports/base/logger.ts';
import { isInAnyCidr } from '../../../domain/access/client-address.ts';
import type { ForwardedHeaders } from '../../../domain/access/forward-auth.ts';
import type { HttpContext } from '../http/context.ts';

interface Deps {
  readonly forwardAuth: Pick<ForwardAuth, 'settings'>;
  readonly trustedProxies: readonly string[];
  readonly logger: Logger;
}

/** The headers in which a trusted proxy names the user; `null` without any, and from all others. */
export function forwardedHeaders(
  ctx: HttpContext,
  { forwardAuth: { settings }, trustedProxies, logger }: Deps,
): ForwardedHeaders | null {
  if (settings === null) return null;
  const { user, email, groups } = settings.headers;
  const valuesOf = (name: string): readonly string[] => ctx.req.headersDistinct[name.toLowerCase()] ?? [];
  const headers = { user: valuesOf(user), email: valuesOf(email), groups: valuesOf(groups) };
  if (headers.user.length === 0) return null;
  const peer = ctx.req.socket.remoteAddress ?? '';
  if (isInAnyCidr(peer, trustedProxies)) return headers;
  logger.warn('a header that names a user is ignored: it does not come from a trusted proxy', {
    header: user,
    peer,
    request_id: ctx.state.requestId,
  });
  return null;
}
