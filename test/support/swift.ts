import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, must } from '../../scripts/lib/programs.mjs';
import { freePort } from './free-port.ts';
import { eventually, kill, spawnBound } from './processes.ts';

const UP_WITHIN_MS = 60_000;
const NODES = ['account', 'container', 'object'] as const;

/**
 * OpenStack's object store on this machine alone: one copy of everything, and S3 through its proxy. Over HTTPS, since
 * it rejects bodies with signed parts, which clients send over plain HTTP.
 */
export class Swift {
  readonly url: string;
  /** The certificate for its clients. */
  certificate = '';
  readonly #directory: string;
  readonly #programs: ReturnType<typeof spawnBound>[] = [];

  private constructor(directory: string, url: string) {
    this.#directory = directory;
    this.url = url;
  }

  /** `key.id` has the form `account:user`. */
  static async start(
    address: { readonly host: string; readonly port: number },
    key: { readonly id: string; readonly secret: string },
  ): Promise<Swift> {
    const directory = await mkdtemp(join(tmpdir(), 'drover-swift-'));
    const swift = new Swift(directory, `https://${address.host}:${address.port}`);
    try {
      await swift.#startAll(address, key);
    } catch (error) {
      await swift.stop();
      throw error;
    }
    return swift;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#programs.map(kill));
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #startAll(
    { host, port }: { readonly host: string; readonly port: number },
    key: { readonly id: string; readonly secret: string },
  ): Promise<void> {
    await mkdir(join(this.#directory, 'disks', 'd1'), { recursive: true });
    const [cert, secret] = ['cert.pem', 'key.pem'].map((name) => join(this.#directory, name));
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const files = ['-keyout', secret ?? '', '-out', cert ?? ''];
    const name = ['-subj', '/CN=swift', '-addext', `subjectAltName=IP:${host}`];
    await must('openssl', ['req', '-x509', '-days', '2', ...ec, ...files, ...name]);
    this.certificate = await readFile(cert ?? '', 'utf8');
    const cache = await freePort();
    this.#spawn('memcached', ['-l', '127.0.0.1', '-p', String(cache), '-u', 'root']);
    for (const node of NODES) await this.#startNode(node);
    const [account, user] = key.id.split(':');
    await this.#startServer('proxy', host, port, [
      `cert_file = ${cert}`,
      `key_file = ${secret}`,
      '[pipeline:main]',
      'pipeline = catch_errors cache s3api tempauth proxy-server',
      '[app:proxy-server]',
      'use = egg:swift#proxy',
      'account_autocreate = true',
      '[filter:catch_errors]',
      'use = egg:swift#catch_errors',
      '[filter:cache]',
      'use = egg:swift#memcache',
      `memcache_servers = 127.0.0.1:${cache}`,
      '[filter:s3api]',
      'use = egg:swift#s3api',
      'location = us-east-1',
      '[filter:tempauth]',
      'use = egg:swift#tempauth',
      `user_${account}_${user} = ${key.secret} .admin`,
    ]);
  }

  async #startNode(node: (typeof NODES)[number]): Promise<void> {
    const port = await freePort();
    const ring = (...args: string[]) =>
      must('swift-ring-builder', [join(this.#directory, `${node}.builder`), ...args]);
    await ring('create', '4', '1', '1');
    await ring('add', `r1z1-127.0.0.1:${port}/d1`, '1');
    await ring('rebalance');
    await this.#startServer(node, '127.0.0.1', port, [
      'mount_check = false',
      `devices = ${join(this.#directory, 'disks')}`,
      '[pipeline:main]',
      `pipeline = ${node}-server`,
      `[app:${node}-server]`,
      `use = egg:swift#${node}`,
    ]);
  }

  async #startServer(name: string, host: string, port: number, lines: readonly string[]): Promise<void> {
    const file = join(this.#directory, `${name}-server.conf`);
    const common = [`bind_ip = ${host}`, `bind_port = ${port}`, `swift_dir = ${this.#directory}`];
    await writeFile(file, ['[DEFAULT]', ...common, 'user = root', 'workers = 0', ...lines, ''].join('\n'));
    this.#spawn(`swift-${name}-server`, [file, '-v']);
    await listens(name, host, port);
  }

  #spawn(program: string, args: readonly string[]): void {
    this.#programs.push(spawnBound(findProgram(program) ?? program, args));
  }
}

const listens = (name: string, host: string, port: number): Promise<true> =>
  eventually(
    `swift's ${name} server listens`,
    UP_WITHIN_MS,
    () =>
      new Promise((resolve) => {
        const socket = connect(port, host, () => {
          socket.destroy();
          resolve(true);
        });
        socket.once('error', () => resolve(undefined));
      }),
  );
