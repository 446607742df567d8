import * as z from 'zod';
import { emptyDocker, waitForDocker } from '../fleet/docker.ts';
import type { FleetHost } from '../fleet/host.ts';
import { type Call, type Reply, throughProxy } from './call.ts';
import { checkOut, makeStandIns } from './stand-in-images.ts';

const NAME = 'drover.example.org';
const HTTPS_PORT = 8443;
const DEPLOY = '/opt/src/deploy';
const Containers = z.array(
  z.object({
    Name: z.string(),
    State: z.object({ ExitCode: z.int(), Health: z.object({ Status: z.string() }).optional() }),
  }),
);
const Token = z.object({ secret: z.string() });

/** One of our compose files on a separate host, run by the commands in docs/how-to/install.md and replicas.md. */
export class Stack {
  readonly #host: FleetHost;

  private constructor(host: FleetHost) {
    this.#host = host;
  }

  /** With substitutes for the official images; nothing of the stack is created yet. */
  static async prepare(host: FleetHost, file: string): Promise<Stack> {
    await waitForDocker(host);
    await emptyDocker(host);
    await makeStandIns(host);
    await checkOut(host);
    await host.writeFile(`${DEPLOY}/.env`, `DROVER_HOST=${NAME}\nCOMPOSE_FILE=${file}\n`);
    return new Stack(host);
  }

  /** Its containers would keep running until the host is lent again. */
  async end(): Promise<void> {
    await this.#host.powerOff();
  }

  /** In the directory `deploy` of the checkout. */
  run(script: string, args: readonly string[] = []): Promise<string> {
    return this.#host.exec(`cd ${DEPLOY} && ${script}`, args);
  }

  /** The output of the command `drover` in one of the replicas. */
  drover(...args: readonly string[]): Promise<string> {
    return this.run('docker compose exec -T drover drover "$@" </dev/null', args);
  }

  async token(address: string): Promise<string> {
    const scopes = ['--name', 'here', '--scopes', 'read,jobs', '--cidr', `${address}/32`];
    return Token.parse(JSON.parse(await this.drover('token', 'create', ...scopes, '--json'))).secret;
  }

  /** By name: how healthy each container with a check is, and how those ended that did. */
  async containers(): Promise<
    Readonly<Record<string, { readonly health: string | undefined; readonly code: number }>>
  > {
    const all = Containers.parse(JSON.parse(await this.run('docker inspect $(docker compose ps -aq)')));
    return Object.fromEntries(
      all.map(({ Name, State }) => [Name.slice(1), { health: State.Health?.Status, code: State.ExitCode }]),
    );
  }

  /** By the proxy, as clients outside of the host do. */
  call(call: Call): Promise<Reply> {
    return throughProxy({ host: this.#host.address, port: HTTPS_PORT, name: NAME }, call);
  }

  /** The target of the last set-up link that the service has printed. */
  async setUpCode(): Promise<string> {
    const log = await this.run('docker compose logs --no-log-prefix drover');
    const links = [...log.matchAll(new RegExp(`https://${NAME}:${HTTPS_PORT}/welcome#([\\w-]+)`, 'g'))];
    const code = links.at(-1)?.[1];
    if (!code) throw new Error(`no link in: ${log}`);
    return code;
  }
}
