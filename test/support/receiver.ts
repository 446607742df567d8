import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A receiver's handling of a request, after reading it. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

export const answers =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);
export const hangs: Behaviour = () => {};
export const resets: Behaviour = (request) => void request.socket.resetAndDestroy();

export interface Received {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
  /** Whether the library that receivers use finds it signed by the receiver's secret. */
  readonly verified: boolean;
  /** The number of its connection: which requests shared one. */
  readonly connection: number;
}

/** A receiver of webhooks, over real HTTP. It follows `behave`, in this order, and then accepts everything. */
export class Receiver {
  readonly received: Received[] = [];
  readonly behave: Behaviour[] = [];
  /** While it is there, requests are met so; `null`: by `behave`. */
  always: Behaviour | null = null;
  secret: string;
  readonly #connections: unknown[] = [];
  readonly #server: Server;

  constructor(secret: string) {
    this.secret = secret;
    this.#server = createServer((request, response) => void this.#take(request, response));
    this.#server.keepAliveTimeout = 60_000;
  }

  async listen(port = 0): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get ids(): readonly string[] {
    return this.received.map(({ id }) => id);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    if (!this.#connections.includes(request.socket)) this.#connections.push(request.socket);
    this.received.push({
      id: String(request.headers['webhook-id']),
      method: request.method ?? '',
      path: request.url ?? '',
      body,
      headers: request.headers,
      verified: isSigned(this.secret, body, request.headers as Record<string, string>),
      connection: this.#connections.indexOf(request.socket),
    });
    (this.always ?? this.behave.shift() ?? answers(204))(request, response);
  }
}

export function isSigned(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
