import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A wire that can be watched, cut and frozen: passes TCP connections on to a port of 127.0.0.1. */
export class TcpProxy {
  /** Connections made so far. */
  count = 0;
  /** The clients' data, in all connections. */
  readonly sent: Buffer[] = [];
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #frozen = false;
  #received = 0;
  #cutAt = Number.POSITIVE_INFINITY;
  #muting: { readonly texts: readonly string[]; readonly muted: () => void } | null = null;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port: number): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: false });
    const proxy = new TcpProxy(server);
    server.on('connection', (client) => proxy.#join(client, connect(port, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new TypeError('a TCP server has a port');
    return address.port;
  }

  /** Bytes that servers have sent so far, on all connections together. */
  get received(): number {
    return this.#received;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#pairs.size;
  }

  /** Breaks all connections, as a reset does. New ones are let through. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
  }

  /** Cuts once servers have sent this many more bytes, on all connections together. */
  cutAfter(bytes: number): void {
    this.#cutAt = this.#received + bytes;
  }

  /**
   * Once a client has sent these one after another on one connection, the server's data is silently dropped there.
   * Resolves when the last of them has passed.
   */
  muteAfter(...texts: string[]): Promise<void> {
    return new Promise((muted) => {
      this.#muting = { texts, muted };
    });
  }

  /** Silently drops all data on the existing connections. New ones are let through. */
  freeze(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.pause().removeAllListeners('data');
  }

  /** From now on new connections are accepted, and then nothing passes on them. */
  freezeNew(frozen = true): void {
    this.#frozen = frozen;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    const pair = [client, server] as const;
    this.count += 1;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay();
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.#pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
    if (this.#frozen) return;
    let said = 0;
    client.on('data', (chunk) => {
      this.sent.push(chunk);
      if (this.#muting && chunk.includes(this.#muting.texts[said] ?? '')) said += 1;
      if (this.#muting && said === this.#muting.texts.length) {
        server.pause().removeAllListeners('data');
        this.#muting.muted();
        this.#muting = null;
      }
      pass(chunk, client, server);
    });
    server.on('data', (chunk) => {
      this.#received += chunk.length;
      if (this.#received < this.#cutAt) {
        pass(chunk, server, client);
        return;
      }
      this.#cutAt = Number.POSITIVE_INFINITY;
      this.cut();
    });
  }
}

function pass(chunk: Buffer, from: Socket, to: Socket): void {
  if (to.write(chunk)) return;
  from.pause();
  to.once('drain', () => from.resume());
}
