import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../domain/errors.ts';

const BEARER = /^bearer +(\S+)$/i;

/** Throws `unauthorized` where a request does not carry the token. Without a token everybody is let in. */
export type CheckToken = (req: IncomingMessage) => void;

export function metricsToken(token: string | null): CheckToken {
  if (token === null) return () => {};
  const expected = digest(token);
  return ({ headers }) => {
    const presented = [BEARER.exec(headers.authorization?.trim() ?? '')?.[1], headers['x-metrics-token']];
    const right = presented.some(
      // Digests are of one length, and tell nothing of where the secrets begin to differ.
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
