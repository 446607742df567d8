import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { isInAnyCidr, networkOf, normaliseAddress } from '../../../domain/access/client-address.ts';

/** How many connections a listener keeps open at a time; 0 for any number. */
export interface ConnectionLimits {
  readonly most: number;
  readonly mostPerAddress: number;
  /** How long a request's headers may take, in milliseconds. */
  readonly headersTimeout: number;
}

export const HEADERS_TIMEOUT = 10_000;

/** Limits of single addresses do not apply to proxies, which connect for everyone. */
export interface ListenerLimits extends ConnectionLimits {
  /** Address ranges of proxies that are believed. */
  readonly exempt: readonly string[];
}

/** Ends connections that are too many, before anything of them is read. */
export function limitConnections(server: Server, { most, mostPerAddress, exempt }: ListenerLimits): void {
  if (most > 0) server.maxConnections = most;
  if (mostPerAddress === 0) return;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const peer = normaliseAddress(socket.remoteAddress ?? '') ?? '';
    if (isInAnyCidr(peer, exempt)) return;
    const network = networkOf(peer);
    const others = open.get(network) ?? 0;
    if (others >= mostPerAddress) {
      socket.destroy();
      return;
    }
    open.set(network, others + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}
