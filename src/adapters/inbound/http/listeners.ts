import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type ListenerLimits, limitConnections } from './connection-limits.ts';

/** Times in milliseconds, sizes in bytes. */
const HANDSHAKE_TIMEOUT = 10_000;
/** For an upload of half a gigabyte over a slow line; other bodies have a shorter limit. */
const REQUEST_TIMEOUT = 3_600_000;
/** Longer than the usual minute of proxies, so that it is never we who close a connection that they are about to use. */
const KEEP_ALIVE_TIMEOUT = 75_000;
const MAX_HEADERS = 16_384;
/** How often connections are checked for late headers. */
const LATE_CHECK_EVERY = 2_000;
/** How long running requests may take after a stop: the whole stop has half a minute. */
const STOP_GRACE = 25_000;
const SWEEP_EVERY = 50;
const SECONDS_A_DAY = 86_400;

const LIMITS = {
  requestTimeout: REQUEST_TIMEOUT,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
  connectionsCheckingInterval: LATE_CHECK_EVERY,
  maxHeaderSize: MAX_HEADERS,
};

/** A certificate and its key in PEM, which may change while they are in use. */
export interface TlsIdentity {
  readonly current: { readonly cert: string; readonly key: string };
  onChange(listener: (pair: { readonly cert: string; readonly key: string }) => void): void;
  /** How many days browsers must use HTTPS only (HSTS); 0: no header. */
  readonly hstsDays: number;
}

export function httpListener(handle: RequestListener, limits: ListenerLimits): Server {
  const server = createServer({ ...LIMITS, headersTimeout: limits.headersTimeout }, handle);
  limitConnections(server, limits);
  return server;
}

/** Uses each new pair for later connections. */
export function httpsListener(
  handle: RequestListener,
  limits: ListenerLimits,
  identity: TlsIdentity,
): SecureServer {
  const hsts = identity.hstsDays > 0 ? `max-age=${identity.hstsDays * SECONDS_A_DAY}` : null;
  const server = createSecureServer(
    {
      ...LIMITS,
      headersTimeout: limits.headersTimeout,
      minVersion: 'TLSv1.2',
      handshakeTimeout: HANDSHAKE_TIMEOUT,
      ...identity.current,
    },
    (req, res) => {
      if (hsts !== null) res.setHeader('Strict-Transport-Security', hsts);
      handle(req, res);
    },
  );
  limitConnections(server, limits);
  identity.onChange(({ cert, key }) => server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' }));
  return server;
}

export function listen(server: Server, host: string | null, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === null ? {} : { host }) }, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) {
      resolve();
      return;
    }
    // Node leaves a kept connection open when its last reply is out: they are looked for until none is left.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY);
    const cut = setTimeout(() => server.closeAllConnections(), STOP_GRACE);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
