import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type AptEdition, KEYRING, SUITES } from './apt-repo.ts';
import type { FleetHost } from './host.ts';

interface MirrorOptions {
  /** https with these; else http. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** `name:password` that it wants, as Basic authentication. */
  readonly login?: string;
}

/** One request, as `304 /dists/stable/InRelease`. A proxy is asked for whole addresses. */
type Seen = string;

/**
 * The package sources of the fleet on an HTTP server, as most hosts have them, for any number of hosts. Records their
 * requests. Like any mirror it sends the time of a file's last change, and 304 to clients that have it.
 */
export class AptMirror {
  readonly #trees: string;
  readonly #options: MirrorOptions;
  readonly #server: ReturnType<typeof createServer>;
  readonly #address: string;
  readonly #seen: Seen[] = [];
  /** When the content of a file became another one, by its path. */
  readonly #changes = new Map<string, { readonly digest: string; readonly atSeconds: number }>();
  #edition: AptEdition = 'v1';
  #publishedAtSeconds = Math.floor(Date.now() / 1_000) - 3_600;
  #instead: ((response: ServerResponse) => void) | null = null;

  private constructor(host: FleetHost, options: MirrorOptions) {
    this.#trees = host.record.aptRepositories;
    this.#address = host.record.gateway;
    this.#options = options;
    const answer = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#answer(request, response);
    this.#server = options.tls ? createTlsServer(options.tls, answer) : createServer(answer);
  }

  /** On the address by which hosts of this one's fleet reach the machine. */
  static async start(host: FleetHost, options: MirrorOptions = {}): Promise<AptMirror> {
    const mirror = new AptMirror(host, options);
    mirror.#server.listen(0, mirror.#address);
    await once(mirror.#server, 'listening');
    return mirror;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#options.tls ? 'https' : 'http'}://${this.#address}:${this.port}`;
  }

  /** For a file in `sources.list.d`. */
  get sources(): string {
    return SUITES.map(({ suite }) => `deb [signed-by=${KEYRING}] ${this.url} ${suite} main\n`).join('');
  }

  get edition(): AptEdition {
    return this.#edition;
  }

  /** Replaced files count as changed now; each time in a different second, which HTTP compares. */
  publish(edition: AptEdition): void {
    this.#edition = edition;
    this.#publishedAtSeconds += 60;
  }

  /** From now on every request is answered so, or not at all; `null`: as before. */
  answerInstead(answer: ((response: ServerResponse) => void) | null): void {
    this.#instead = answer;
  }

  /** The requests since the last call. */
  seen(): readonly Seen[] {
    return this.#seen.splice(0);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.once('close', () => this.#seen.push(`${response.statusCode} ${request.url}`));
    if (this.#instead) return this.#instead(response);
    const { login } = this.#options;
    const said = request.headers.authorization;
    if (login !== undefined && said !== `Basic ${Buffer.from(login).toString('base64')}`) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="mirror"' }).end();
      return;
    }
    const { pathname } = new URL(request.url ?? '/', this.url);
    const file = join(this.#trees, this.#edition, decodeURIComponent(pathname));
    const content = await readFile(file).catch(() => null);
    if (!content) {
      response.writeHead(404).end();
      return;
    }
    const changedAtSeconds = this.#changedAt(pathname, content);
    response.setHeader('Last-Modified', new Date(changedAtSeconds * 1_000).toUTCString());
    if (Date.parse(request.headers['if-modified-since'] ?? '') >= changedAtSeconds * 1_000) {
      response.writeHead(304).end();
      return;
    }
    response.writeHead(200, { 'Content-Length': content.length }).end(content);
  }

  #changedAt(path: string, content: Buffer): number {
    const digest = createHash('sha256').update(content).digest('hex');
    const known = this.#changes.get(path);
    if (known?.digest === digest) return known.atSeconds;
    this.#changes.set(path, { digest, atSeconds: this.#publishedAtSeconds });
    return this.#publishedAtSeconds;
  }
}
