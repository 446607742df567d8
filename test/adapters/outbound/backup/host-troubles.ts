import { once } from 'node:events';
import { PassThrough, Transform } from 'node:stream';
import { FETCH, FETCH_REST } from '../../../../src/adapters/outbound/backup/host-fetch.ts';
import { UNPACK } from '../../../../src/adapters/outbound/backup/tar-push.ts';
import { runToEnd } from '../../../../src/adapters/outbound/hosts/shell/run-to-end.ts';
import type {
  CommandResult,
  HostCommand,
  HostProcess,
  RemoteHost,
  RunOptions,
} from '../../../../src/application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../src/domain/base/errors.ts';

type Open = RemoteHost['open'];

/** A host with a custom way to open commands. */
function hostWith(open: Open): RemoteHost {
  return {
    open,
    run: (command: HostCommand, options?: RunOptions): Promise<CommandResult> =>
      runToEnd('trouble', open, command, options),
    release: () => undefined,
  };
}

const isTransfer = ({ script }: HostCommand): boolean =>
  script === FETCH || script === FETCH_REST || script === UNPACK || script.includes('exec rsync "$@"');

/** Lets transfers through up to a number of bytes and then holds them. Only the `from`th transfer and later ones count. */
export class Valve {
  readonly host: RemoteHost;
  /** Settles when a transfer is held. */
  readonly held: Promise<void>;
  #open: () => void = () => undefined;
  readonly #opened: Promise<void>;
  #transfers = 0;

  constructor(host: RemoteHost, bytes: number, from = 1) {
    let hold: () => void = () => undefined;
    this.held = new Promise((resolve) => {
      hold = resolve;
    });
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    this.host = hostWith(async (command, options) => {
      const process = await host.open(command, options);
      if (!isTransfer(command)) return process;
      this.#transfers += 1;
      if (this.#transfers < from) return process;
      return throughValve(process, bytes, hold, this.#opened);
    });
  }

  release(): void {
    this.#open();
  }
}

function throughValve(
  process: HostProcess,
  bytes: number,
  hold: () => void,
  opened: Promise<void>,
): HostProcess {
  let seen = 0;
  const valve = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      seen += chunk.length;
      const pass = (): void => done(null, chunk);
      if (seen < bytes) return pass();
      hold();
      void opened.then(pass);
    },
  });
  process.stdout.pipe(valve);
  const drained = once(valve, 'end').catch(() => undefined);
  void process.exit.catch(() => valve.destroy());
  return {
    stdin: process.stdin,
    stdout: valve,
    stderr: process.stderr,
    exit: process.exit.then(async (exit) => {
      if (valve.writableLength === 0) await Promise.race([drained, once(valve, 'close')]);
      return exit;
    }),
    kill: () => process.kill(),
  };
}

/** Breaks the connection after this many bytes of a transfer. */
export function cutting(host: RemoteHost, bytes: number, from = 1): RemoteHost {
  let transfers = 0;
  return hostWith(async (command, options) => {
    const process = await host.open(command, options);
    if (!isTransfer(command)) return process;
    transfers += 1;
    if (transfers < from) return process;
    const lost = new DomainError('host_connection_lost', 'The connection was cut.');
    const stdout = new PassThrough();
    let seen = 0;
    let lose: (error: Error) => void = () => undefined;
    const exit = new Promise<never>((_resolve, reject) => {
      lose = reject;
    });
    exit.catch(() => undefined);
    process.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      if (seen <= bytes) {
        if (!stdout.write(chunk)) {
          process.stdout.pause();
          stdout.once('drain', () => process.stdout.resume());
        }
        return;
      }
      process.kill();
      stdout.destroy(lost);
      lose(lost);
    });
    stdout.on('error', () => undefined);
    return { stdin: process.stdin, stdout, stderr: process.stderr, exit, kill: () => process.kill() };
  });
}

/** Does something between a transfer's start and its first byte, or after it. */
export function meddling(
  host: RemoteHost,
  when: 'before' | 'after',
  meddle: () => Promise<void>,
  from = 1,
): RemoteHost {
  let transfers = 0;
  return hostWith(async (command, options) => {
    const counts = isTransfer(command) && ++transfers === from;
    if (counts && when === 'before') await meddle();
    const process = await host.open(command, options);
    if (!counts || when === 'before') return process;
    const exit = process.exit.then(async (ended) => {
      await meddle();
      return ended;
    });
    return {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      exit,
      kill: () => process.kill(),
    };
  });
}

/** Runs another script in place of rsync on the host: one that plays a broken or hostile host. */
export const impostor = (host: RemoteHost, script: string, from = 1): RemoteHost => {
  let transfers = 0;
  return hostWith((command, options) => {
    if (!isTransfer(command) || ++transfers < from) return host.open(command, options);
    return host.open({ ...command, script }, options);
  });
};

/** Everything runs as a plain user. Needs root. */
export const asNobody = (host: RemoteHost): RemoteHost =>
  hostWith((command, options) => {
    const { script, args = [], ...rest } = command;
    const drop = 'exec setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "$@"';
    return host.open({ ...rest, script: drop, args: [script, 'drover', ...args] }, options);
  });

/** Finds no program but those in a directory. */
export const withPath = (host: RemoteHost, path: string): RemoteHost =>
  hostWith((command, options) => {
    const { script, args = [], ...rest } = command;
    const search = 'PATH=$1; shift; exec sh -c "$@"';
    return host.open({ ...rest, script: search, args: [path, script, 'drover', ...args] }, options);
  });

/** Runs another script in the place of some commands. */
export const instead = (
  host: RemoteHost,
  which: (command: HostCommand) => boolean,
  script: string,
  { keepsArguments = false }: { readonly keepsArguments?: boolean } = {},
): RemoteHost =>
  hostWith((command, options) => {
    if (!which(command)) return host.open(command, options);
    return host.open(keepsArguments ? { ...command, script } : { script }, options);
  });
