import type { DumpClient, DumpTarget } from '../../../../application/ports/backups/dump-client.ts';
import type {
  HostCommand,
  HostProcess,
  RemoteHost,
} from '../../../../application/ports/fleet/remote-host.ts';
import { DUMP_RULES, type DumpConnection, type RestorableKind } from '../../../../domain/backups/dump.ts';
import { DomainError, type ErrorCode } from '../../../../domain/base/errors.ts';
import { oneLine } from '../../../../domain/base/one-line.ts';
import { SecretMask } from '../../../../domain/base/secret-mask.ts';
import { withoutEnd } from '../../../../domain/base/without-end.ts';
import { formatOf } from './dump-formats.ts';
import {
  CHECK_SCRIPTS,
  DUMP_SCRIPTS,
  IN_CONTAINER,
  LOOK_SCRIPTS,
  NO_CLIENT,
  NO_ENGINE,
  NO_FILE,
  RESTORE_SCRIPTS,
} from './dump-scripts.ts';

/** How long a client may neither send nor take anything: a large database takes its time before its first line. */
const SILENCE_MS = 3_600_000;
const MAX_SAID = 64 * 1024;
const MAX_FAULT_LINES = 3;
const MAX_TOLD = 500;

const PACKAGES: Readonly<Record<DumpConnection['kind'], string>> = {
  postgres: 'pg_dump and psql (package postgresql-client)',
  mysql: 'mysqldump and mysql (package mariadb-client or mysql-client)',
  sqlite: 'sqlite3 (package sqlite3)',
  redis: 'redis-cli (package redis-tools)',
  mongodb: 'mongodump and mongorestore (package mongodb-database-tools)',
};

/** Runs the databases' own clients by constant scripts. */
export class HostDumpClient implements DumpClient {
  async *read(host: RemoteHost, connection: DumpConnection, signal: AbortSignal): AsyncGenerator<Buffer> {
    const format = formatOf(connection.kind);
    const client = await Running.start(
      host,
      connection,
      DUMP_SCRIPTS[connection.kind],
      signal,
      'dump_failed',
    );
    client.process.stdin.end();
    try {
      for await (const chunk of client.output()) {
        const passed = format.pass(chunk);
        if (passed.length > 0) yield passed;
      }
      await client.assertEnded();
      const { rest, fault } = format.end();
      if (fault !== null) throw client.failure(`the client sent an incomplete dump: ${fault}`);
      if (rest.length > 0) yield rest;
    } finally {
      client.stop();
    }
  }

  async check(host: RemoteHost, connection: DumpConnection, signal: AbortSignal): Promise<void> {
    const client = await Running.start(
      host,
      connection,
      CHECK_SCRIPTS[connection.kind],
      signal,
      'dump_failed',
    );
    client.process.stdin.end();
    try {
      await drain(client.output());
      await client.assertEnded();
    } finally {
      client.stop();
    }
  }

  async look(host: RemoteHost, connection: DumpConnection, signal: AbortSignal): Promise<DumpTarget> {
    const script = LOOK_SCRIPTS[restorable(connection)];
    const client = await Running.start(host, connection, script, signal, 'dump_restore_failed');
    client.process.stdin.end();
    try {
      let text = '';
      for await (const chunk of client.output()) if (text.length < MAX_SAID) text += chunk.toString();
      await client.assertEnded();
      const line = text.split('\n').find((each) => each.includes('\t')) ?? '';
      const [version = '', exists = '', tables, bytes] = line.split('\t');
      return {
        version: version === '' ? null : oneLine(version, 100),
        exists: exists === '' ? null : exists === '1',
        tables: wholeOrNull(tables),
        bytes: wholeOrNull(bytes),
      };
    } finally {
      client.stop();
    }
  }

  async restore(...[host, connection, content, signal]: Parameters<DumpClient['restore']>): Promise<void> {
    const script = RESTORE_SCRIPTS[restorable(connection)];
    const client = await Running.start(host, connection, script, signal, 'dump_restore_failed');
    try {
      const printed = drain(client.output());
      await client.feed(connection.kind === 'postgres' ? inTransaction(content) : content);
      await printed;
      await client.assertEnded();
    } finally {
      client.stop();
    }
  }
}

function restorable({ kind }: DumpConnection): RestorableKind {
  if (kind === 'redis') throw new DomainError('internal', 'Dumps of Redis are not restored.');
  return kind;
}

/** Input that ends early does not commit, as it would by psql's --single-transaction. */
async function* inTransaction(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from('BEGIN;\n');
  yield* content;
  yield Buffer.from('\nCOMMIT;\n');
}

const wholeOrNull = (text = ''): number | null =>
  /^\d{1,15}$/.test(text.trim()) ? Number(text.trim()) : null;

async function drain(output: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of output);
}

/** A client at work. */
class Running {
  readonly process: HostProcess;
  readonly #connection: DumpConnection;
  readonly #signal: AbortSignal;
  readonly #code: ErrorCode;
  readonly #timer: NodeJS.Timeout;
  #activeAt = performance.now();
  #isSilent = false;
  #said = '';

  constructor(process: HostProcess, connection: DumpConnection, signal: AbortSignal, code: ErrorCode) {
    this.process = process;
    this.#connection = connection;
    this.#signal = signal;
    this.#code = code;
    process.exit.catch(() => undefined);
    process.stdin.on('error', () => undefined);
    process.stderr.on('data', (chunk: Buffer) => {
      if (this.#said.length < MAX_SAID) this.#said += chunk.toString();
    });
    this.#timer = setInterval(() => {
      if (performance.now() - this.#activeAt < SILENCE_MS) return;
      this.#isSilent = true;
      process.kill();
    }, 1_000);
  }

  static async start(
    host: RemoteHost,
    connection: DumpConnection,
    script: string,
    signal: AbortSignal,
    code: ErrorCode,
  ): Promise<Running> {
    const process = await host.open(commandFor(connection, script), { signal });
    return new Running(process, connection, signal, code);
  }

  async *output(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.process.stdout as AsyncIterable<Buffer>) {
        this.#activeAt = performance.now();
        yield chunk;
      }
    } catch (error) {
      this.#signal.throwIfAborted();
      throw error;
    }
  }

  /** Ends standard input after the content. A client that exits early ends it; `assertEnded` reports why. */
  async feed(content: AsyncIterable<Buffer>): Promise<void> {
    const { stdin } = this.process;
    for await (const chunk of content) {
      this.#activeAt = performance.now();
      this.#signal.throwIfAborted();
      if (stdin.destroyed) return;
      if (!stdin.write(chunk)) await writable(stdin, this.process.exit);
    }
    stdin.end();
  }

  /** Throws as the port says unless the client ended well. */
  async assertEnded(): Promise<void> {
    const { exitCode, signal } = await this.process.exit;
    this.#signal.throwIfAborted();
    if (exitCode === 0) return;
    if (this.#isSilent) throw this.failure('the client did nothing for an hour');
    const { container, client, kind, database } = this.#connection;
    const where = container === null ? 'on the host' : `in the container ${container}`;
    if (exitCode === NO_ENGINE)
      throw new DomainError('host_tool_missing', `${client} is not installed on the host: install it there.`);
    if (exitCode === NO_CLIENT || exitCode === 127) {
      throw new DomainError(
        'host_tool_missing',
        `The dump "${this.#connection.name}" needs ${PACKAGES[kind]} ${where}: install it there.`,
      );
    }
    if (exitCode === NO_FILE) throw this.failure(`${database ?? ''} is not a file ${where}`);
    const end =
      exitCode === null
        ? `the client was terminated by ${signal ?? 'a signal'}`
        : `the client exited with code ${exitCode}`;
    throw this.failure(end);
  }

  failure(what: string): DomainError {
    const { name, kind, password } = this.#connection;
    const lines = this.#said.split('\n').filter((line) => line.trim() !== '');
    const faults = lines.filter((line) => !/\bwarning\b/i.test(line));
    const shown = (faults.length > 0 ? faults : lines).slice(-MAX_FAULT_LINES).join('; ');
    const said = new SecretMask(password === null ? [] : [password]).mask(shown);
    const verb = this.#code === 'dump_failed' ? 'failed' : 'could not be restored';
    return new DomainError(
      this.#code,
      `The dump "${name}" of ${DUMP_RULES[kind].label} ${verb}: ${what}.${said === '' ? '' : ` Its output: ${oneLine(withoutEnd(said, '.'), MAX_TOLD)}.`}`,
    );
  }

  stop(): void {
    clearInterval(this.#timer);
    this.process.kill();
  }
}

/** Resolves also if the stream closes or the process ends. */
async function writable(stdin: NodeJS.WritableStream, exit: Promise<unknown>): Promise<void> {
  let done = (): void => undefined;
  const drained = new Promise<void>((resolve) => {
    done = resolve;
  });
  stdin.once('drain', done);
  stdin.once('close', done);
  try {
    await Promise.race([
      drained,
      exit.then(
        () => undefined,
        () => undefined,
      ),
    ]);
  } finally {
    stdin.off('drain', done);
    stdin.off('close', done);
  }
}

function commandFor(connection: DumpConnection, script: string): HostCommand {
  const { kind, client, container, database, user, host, port, password } = connection;
  const values = [database ?? '', user ?? '', host ?? '', port === null ? '' : String(port)];
  const secret = password === null ? '' : kind === 'mongodb' ? `password: ${yamlText(password)}` : password;
  const stdin = `${secret}\n`;
  return container === null || client === 'host'
    ? { script, args: values, stdin, asRoot: true }
    : { script: IN_CONTAINER, args: [client, container, script, ...values], stdin, asRoot: true };
}

/** In single quotes only these are special; control characters were refused. */
const yamlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
