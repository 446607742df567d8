import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** Times in milliseconds, sizes in bytes. */
const HEADERS_TIMEOUT = 10_000;
/** For an upload of half a gigabyte over a slow line; other bodies have a shorter limit of their own. */
const REQUEST_TIMEOUT = 3_600_000;
/** Longer than the usual minute of proxies, so that it is never we who close a connection that they are about to use. */
const KEEP_ALIVE_TIMEOUT = 75_000;
const LARGEST_HEADERS = 16_384;
/** How long requests under way may take after a stop was asked for. */
const STOP_GRACE = 10_000;
const SWEEP_EVERY = 50;
const SECONDS_A_DAY = 86_400;

const LIMITS = {
  headersTimeout: HEADERS_TIMEOUT,
  requestTimeout: REQUEST_TIMEOUT,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
  maxHeaderSize: LARGEST_HEADERS,
};

/** A certificate and its key in PEM, which may change while they are in use. */
export interface TlsIdentity {
  readonly current: { readonly cert: string; readonly key: string };
  onChange(listener: (pair: { readonly cert: string; readonly key: string }) => void): void;
  /** For so many days browsers are told to use HTTPS alone; 0: they are told nothing. */
  readonly hstsDays: number;
}

export const httpListener = (handle: RequestListener): Server => createServer(LIMITS, handle);

/** Takes each new pair for the connections that begin after it. */
export function httpsListener(handle: RequestListener, identity: TlsIdentity): SecureServer {
  const hsts = identity.hstsDays > 0 ? `max-age=${identity.hstsDays * SECONDS_A_DAY}` : null;
  const server = createSecureServer(
    { ...LIMITS, minVersion: 'TLSv1.2', handshakeTimeout: HEADERS_TIMEOUT, ...identity.current },
    (req, res) => {
      if (hsts !== null) res.setHeader('Strict-Transport-Security', hsts);
      handle(req, res);
    },
  );
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
