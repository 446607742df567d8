import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { must } from '../../scripts/lib/programs.mjs';
import type { Settings } from './drover-process.ts';

const PRELOAD = fileURLToPath(new URL('pushover-here.mjs', import.meta.url));

/** Takes the place of api.pushover.net for services with its settings, and passes everything to a port in plain HTTP. */
export class PushoverHere {
  readonly settings: Settings;
  readonly #home: string;
  readonly #server: Server;

  private constructor(home: string, server: Server) {
    this.#home = home;
    this.#server = server;
    this.settings = {
      NODE_OPTIONS: `--import=${pathToFileURL(PRELOAD).href}`,
      NODE_EXTRA_CA_CERTS: join(home, 'cert.pem'),
      PUSHOVER_PORT: String((server.address() as AddressInfo).port),
    };
  }

  static async start(port: number): Promise<PushoverHere> {
    const home = await mkdtemp(join(tmpdir(), 'drover-pushover-'));
    const [key, cert] = [join(home, 'key.pem'), join(home, 'cert.pem')];
    const ec = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
    ];
    const names = ['-subj', '/CN=api.pushover.net', '-addext', 'subjectAltName=DNS:api.pushover.net'];
    await must('openssl', ['req', '-x509', '-days', '2', ...ec, ...names]);
    const options = { key: await readFile(key), cert: await readFile(cert) };
    const server = createServer(options, (client) => {
      const receiver = connect(port, '127.0.0.1');
      for (const [one, other] of [
        [client, receiver],
        [receiver, client],
      ] as const)
        one.on('error', () => other.destroy()).on('close', () => other.destroy());
      client.pipe(receiver).pipe(client);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PushoverHere(home, server);
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#home, { recursive: true, force: true });
  }
}
