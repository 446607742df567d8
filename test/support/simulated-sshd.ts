import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2 from 'ssh2';
import { SshKeyMaker } from '../../src/adapters/outbound/hosts/ssh/ssh-keys.ts';
import { questionOf, recordedAnswer } from './recorded-debian.ts';

/** Its port on 127.0.0.1, and its host key as the service pins it: columns of a server. */
export interface SimulatedHost {
  readonly hostname: string;
  readonly ssh_port: number;
  readonly host_key_algorithm: string;
  readonly host_key_blob: string;
}

/**
 * An SSH server that accepts every login and answers the service's scripts like a recorded Debian 12 host, with a
 * delay in milliseconds. It stands for any number of hosts.
 */
export class SimulatedSshd {
  readonly host: SimulatedHost;
  readonly #server: ssh2.Server;

  private constructor(server: ssh2.Server, host: SimulatedHost) {
    this.#server = server;
    this.host = host;
  }

  /** `say`: replaces the output, by the script and its arguments; `undefined`: the recorded one. */
  static async start(answerAfterMs: number, say: Answer = () => undefined): Promise<SimulatedSshd> {
    // one key in 256 that ssh2 makes it cannot read itself
    const keys = await new SshKeyMaker().generate('simulated');
    const server = new ssh2.Server({ hostKeys: [keys.privateKey] }, (client) => {
      client.on('error', () => undefined);
      client.on('authentication', (attempt) =>
        attempt.method === 'publickey' ? attempt.accept() : attempt.reject(['publickey']),
      );
      client.on('session', (acceptSession) => {
        acceptSession().on('exec', (accept, _reject, { command }) => {
          void answer(accept(), command, { afterMs: answerAfterMs, say });
        });
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [algorithm = '', blob = ''] = keys.publicKey.split(' ');
    const address = { hostname: '127.0.0.1', ssh_port: port };
    return new SimulatedSshd(server, { ...address, host_key_algorithm: algorithm, host_key_blob: blob });
  }

  stop(): void {
    this.#server.close();
  }
}

export type Answer = (script: string, args: readonly string[]) => string | undefined;

/** On both streams, before anything else: see `commandLine`. */
const STARTED = '#drover-started:1#\n';

async function answer(
  channel: ssh2.ServerChannel,
  command: string,
  { afterMs, say }: { readonly afterMs: number; readonly say: Answer },
): Promise<void> {
  const program = decoded(command);
  channel.write(STARTED);
  channel.stderr.write(STARTED);
  await sleep(afterMs);
  const [args = ''] = /^set -- [^\n]*/.exec(program) ?? [];
  const marks = Array.from(args.matchAll(/'([^']*)'/g), ([, arg = '']) => arg);
  channel.write(say(program, marks) ?? recordedAnswer(questionOf(program), marks));
  channel.exit(0);
  channel.end();
}

/** The last argument, decoded by printf's %b. */
const decoded = (command: string): string =>
  (/ drover '([^']*)'$/.exec(command)?.[1] ?? '').replace(/\\0([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
