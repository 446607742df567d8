import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type {
  JailFileSystems,
  JailFs,
  JailListing,
  JailOptions,
  Tree,
  WriteOptions,
  WriteResult,
} from '../../src/application/ports/files/jail-fs.ts';
import type { HostAccess } from '../../src/application/ports/fleet/remote-host.ts';
import { DomainError, type ErrorCode } from '../../src/domain/base/errors.ts';
import type { EntryFacts } from '../../src/domain/files/directory-entry.ts';
import type { JailPath } from '../../src/domain/files/jail-path.ts';
import { bundled } from './bundled.ts';
import type { Call, Piece, Reply } from './jail-child.ts';
import { kill } from './processes.ts';

const PROGRAM = new URL('./jail-child.ts', import.meta.url);

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Jails of this machine as another process sees them. */
export class ChildJails implements JailFileSystems {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (reply: Reply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('value' in reply) waiting?.resolve(reply.value);
      else if (reply.code === null) waiting?.reject(new Error(reply.message));
      else waiting?.reject(new DomainError(reply.code as ErrorCode, reply.message));
    });
    child.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the process is gone'));
      this.#waiting.clear();
    });
    child.on('error', () => undefined);
  }

  /** `user`: the number of an unprivileged one; `through` is put in front of the command. */
  static async start({
    user,
    through = [],
  }: {
    user?: number;
    through?: readonly string[];
  } = {}): Promise<ChildJails> {
    const command = [...through, process.execPath, await bundled(PROGRAM)];
    const child = spawn('env', command, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
      ...(user === undefined ? {} : { uid: user, gid: user }),
    });
    await once(child, 'spawn');
    return new ChildJails(child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async open(_access: HostAccess, directory: string, options: JailOptions = {}): Promise<JailFs> {
    const wholeHost = options.wholeHost ?? false;
    await this.#call({ jail: directory, wholeHost, method: 'open', path: '', rest: [] });
    return new ChildJailFs(
      (call, started) => this.#call({ jail: directory, wholeHost, ...call }, started),
      (piece) => void this.#child.send(piece, () => undefined),
    );
  }

  /** SIGKILL. */
  kill(): Promise<void> {
    return kill(this.#child);
  }

  #call(call: Omit<Call, 'id'>, started: (id: number) => void = () => undefined): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, ...call } satisfies Call, (error) => error && reject(error));
      started(id);
    });
  }
}

type Ask = (
  call: Omit<Call, 'id' | 'jail' | 'wholeHost'>,
  started?: (id: number) => void,
) => Promise<unknown>;

class ChildJailFs implements JailFs {
  readonly #ask: Ask;
  readonly #send: (piece: Piece) => void;

  constructor(ask: Ask, send: (piece: Piece) => void) {
    this.#ask = ask;
    this.#send = send;
  }

  list(path: JailPath, most: number): Promise<JailListing> {
    return this.#do('list', path, most) as Promise<JailListing>;
  }

  stat(path: JailPath): Promise<EntryFacts> {
    return this.#do('stat', path) as Promise<EntryFacts>;
  }

  read(
    path: JailPath,
    range: { readonly offset: number; readonly length: number },
  ): ReturnType<JailFs['read']> {
    return this.#do('read', path, range) as ReturnType<JailFs['read']>;
  }

  async readStream(path: JailPath, most: number): ReturnType<JailFs['readStream']> {
    const told = (await this.#do('readStream', path, most)) as {
      size: number;
      sha256: string;
      bytes: Buffer;
    };
    return { ...told, content: Readable.from(told.size > 0 ? [Buffer.from(told.bytes)] : []) };
  }

  async write(
    path: JailPath,
    content: AsyncIterable<Uint8Array>,
    options: WriteOptions,
  ): Promise<WriteResult> {
    let broken: { readonly error: unknown } | null = null;
    const feed = async (id: number): Promise<void> => {
      try {
        for await (const piece of content) this.#send({ id, piece });
        this.#send({ id, piece: null });
      } catch (error) {
        broken = { error };
        this.#send({ id, piece: 'broken' });
      }
    };
    const call = { method: 'write', path: String(path), rest: [options] } as const;
    try {
      return (await this.#ask(call, (id) => void feed(id))) as WriteResult;
    } catch (error) {
      const { error: cause } = (broken as { error: unknown } | null) ?? { error };
      throw cause;
    }
  }

  makeDirectory(path: JailPath): Promise<void> {
    return this.#do('makeDirectory', path) as Promise<void>;
  }

  rename(path: JailPath, name: string): Promise<void> {
    return this.#do('rename', path, name) as Promise<void>;
  }

  remove(path: JailPath): Promise<EntryFacts> {
    return this.#do('remove', path) as Promise<EntryFacts>;
  }

  tree(directory: JailPath, most: number): Promise<Tree> {
    return this.#do('tree', directory, most) as Promise<Tree>;
  }

  removeTree(directory: JailPath): Promise<void> {
    return this.#do('removeTree', directory) as Promise<void>;
  }

  mode(path: JailPath): Promise<number> {
    return this.#do('mode', path) as Promise<number>;
  }

  changeMode(path: JailPath, mode: number): Promise<number> {
    return this.#do('changeMode', path, mode) as Promise<number>;
  }

  sweep(directory: JailPath): Promise<number> {
    return this.#do('sweep', directory) as Promise<number>;
  }

  close(): void {
    // the process holds nothing
  }

  #do(method: Call['method'], path: JailPath, ...rest: readonly unknown[]): Promise<unknown> {
    return this.#ask({ method, path: String(path), rest });
  }
}
