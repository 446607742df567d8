import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { VERSION } from '../../../../src/adapters/bootstrap/version.ts';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';

export type Handler = (req: IncomingMessage, res: ServerResponse, body: string) => void;

/** The answer to `GET /api/v1`, of a service like ours with an unlimited token. */
export const overview = (over: Record<string, unknown> = {}): Record<string, unknown> => ({
  version: VERSION,
  endpoints: CATALOGUE.map(({ name }) => ({ name, method: 'GET', path: '/', title: name, scope: 'read' })),
  token_scopes: ['read', 'jobs', 'edit', 'files'],
  ...over,
});

export function reply(res: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  res.writeHead(status, { 'Content-Type': type });
  res.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** A listener in the place of the service, with answers that a test sets. */
export class FakeService {
  /** Method and path of each request, with its headers and body. */
  readonly requests: {
    readonly line: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
  }[] = [];
  /** `GET /api/v1`. */
  overview: Handler = (_req, res) => reply(res, 200, overview());
  /** Everything else. */
  rest: Handler = (_req, res) => reply(res, 200, { ok: true });
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #scheme: 'http' | 'https';
  #port = 0;

  constructor(tls?: { readonly key: string; readonly cert: string }) {
    this.#scheme = tls ? 'https' : 'http';
    const handle = (req: IncomingMessage, res: ServerResponse): void => void this.#handle(req, res);
    this.#server = tls ? createTlsServer(tls, handle) : createServer(handle);
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.#port}`;
  }

  /** May be called again after `stop`: the port stays the same. */
  async start(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Cuts all connections. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    this.requests.push({ line: `${req.method} ${req.url}`, headers: req.headers, body });
    if (req.url === '/api/v1') this.overview(req, res, body);
    else this.rest(req, res, body);
  }
}
