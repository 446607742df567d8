import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../../domain/access/served-hosts.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { isSecure } from '../http/transport-security.ts';

const BEARER = /^bearer +(\S+)$/i;

/** Throws `unauthorized` for a request that may not read the numbers. */
export type CheckAccess = (req: IncomingMessage) => void;

/**
 * With a token, requests carry it. Without one the numbers are open, but not to a network in the clear: only on this
 * machine, and over HTTPS.
 */
export function metricsAccess(token: string | null, trustedProxies: readonly string[]): CheckAccess {
  if (token === null) {
    return (req) => {
      if (isLoopback(req.socket.localAddress ?? '') || isSecure(req, trustedProxies)) return;
      throw new DomainError(
        'unauthorized',
        'Over plain HTTP from other machines the metrics need a token: set METRICS_TOKEN and send it, or use HTTPS.',
      );
    };
  }
  const expected = digest(token);
  return ({ headers }) => {
    const presented = [BEARER.exec(headers.authorization?.trim() ?? '')?.[1], headers['x-metrics-token']];
    const right = presented.some(
      // Digests have the same length, and reveal nothing about the secrets.
      (secret) => typeof secret === 'string' && timingSafeEqual(digest(secret), expected),
    );
    if (right) return;
    throw new DomainError(
      'unauthorized',
      'Send the value of METRICS_TOKEN as "Authorization: Bearer <token>" or as "X-Metrics-Token: <token>".',
    );
  };
}

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();
