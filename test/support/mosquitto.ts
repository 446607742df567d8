import type { ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must } from '../../scripts/lib/programs.mjs';
import { freePort } from './free-port.ts';
import { eventually, kill, spawnBound } from './processes.ts';

export const BROKER_LOGIN = 'drover';
export const BROKER_PASSWORD = 'between the topics';

/** A real MQTT broker with a user who may use all topics but those below `secret/`. */
export class Mosquitto {
  readonly port: number;
  readonly tlsPort: number;
  /** Of its authority. */
  readonly ca: string;
  readonly #home: string;
  #child: ChildProcess | null = null;

  private constructor(home: string, ports: readonly [number, number], ca: string) {
    this.#home = home;
    [this.port, this.tlsPort] = ports;
    this.ca = ca;
  }

  static async start(): Promise<Mosquitto> {
    const home = await mkdtemp(join(tmpdir(), 'drover-mosquitto-'));
    await chmod(home, 0o755);
    const at = (name: string): string => join(home, name);
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const files = ['-keyout', at('key.pem'), '-out', at('cert.pem')];
    await must('openssl', ['req', '-x509', '-days', '2', ...ec, ...files, ...names]);
    await must('mosquitto_passwd', ['-b', '-c', at('passwords'), BROKER_LOGIN, BROKER_PASSWORD]);
    await writeFile(
      at('acl'),
      `user ${BROKER_LOGIN}\ntopic readwrite drover/#\ntopic readwrite homeassistant/#\n`,
    );
    for (const name of ['key.pem', 'cert.pem', 'passwords', 'acl']) await chmod(at(name), 0o644);
    const ports = [await freePort(), await freePort()] as const;
    await writeFile(
      at('mosquitto.conf'),
      [
        'per_listener_settings false',
        'allow_anonymous false',
        `password_file ${at('passwords')}`,
        `acl_file ${at('acl')}`,
        `listener ${ports[0]} 127.0.0.1`,
        `listener ${ports[1]} 127.0.0.1`,
        `certfile ${at('cert.pem')}`,
        `keyfile ${at('key.pem')}`,
        'persistence false',
        '',
      ].join('\n'),
    );
    const broker = new Mosquitto(home, ports, await readFile(at('cert.pem'), 'utf8'));
    await broker.run();
    return broker;
  }

  /** Starts it again, without what it kept. */
  async run(): Promise<void> {
    this.#child = spawnBound('mosquitto', ['-c', join(this.#home, 'mosquitto.conf')]);
    this.#child.stderr?.resume();
    await eventually('mosquitto listens', 20_000, () => this.#listens());
  }

  async kill(): Promise<void> {
    if (this.#child) await kill(this.#child);
    this.#child = null;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#home, { recursive: true, force: true });
  }

  #listens(): Promise<true | undefined> {
    return new Promise((resolve) => {
      const socket = connect(this.tlsPort, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(undefined));
    });
  }
}
