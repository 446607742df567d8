import type { IncomingMessage } from 'node:http';
import { isInAnyCidr } from '../../../domain/access/client-address.ts';

/** Whether the client speaks HTTPS, to the service or to a trusted proxy. */
export function isSecure(
  req: Pick<IncomingMessage, 'socket' | 'headers'>,
  trustedProxies: readonly string[],
): boolean {
  if ('encrypted' in req.socket) return true;
  const peer = req.socket.remoteAddress ?? '';
  return req.headers['x-forwarded-proto'] === 'https' && isInAnyCidr(peer, trustedProxies);
}
