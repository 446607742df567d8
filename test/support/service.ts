import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import * as z from 'zod';
import { DroverProcess, type ENTRIES, type Ended, type Settings } from './drover-process.ts';
import { freePort } from './free-port.ts';
import { eventually } from './processes.ts';

const UP_WITHIN_MS = 120_000;
/** The service itself stops everything after 30 s. */
const DOWN_WITHIN_MS = 45_000;

export interface ServiceOptions {
  /** Environment variables, beyond port and data directory. */
  readonly settings?: Settings;
  /** One that is there and stays; without it a new one, which goes with the service. */
  readonly dataDir?: string;
  readonly entry?: keyof typeof ENTRIES;
  /** The directory of another unpacked release. */
  readonly home?: string;
}

export interface CliEnded extends Ended {
  /** Standard output as the one JSON value that it is; `undefined` when it is not. */
  readonly json: unknown;
}

const Token = z.object({ secret: z.string() });

/** The built service in a separate process, and the command line beside it, on one data directory. */
export class Service {
  readonly dataDir: string;
  readonly port: number;
  readonly settings: Settings;
  readonly #entry: keyof typeof ENTRIES;
  readonly #home: { readonly home?: string };
  readonly #ownsData: boolean;
  readonly #lives: DroverProcess[] = [];

  private constructor(dataDir: string, port: number, options: ServiceOptions) {
    this.dataDir = dataDir;
    this.port = port;
    this.#entry = options.entry ?? 'drover';
    this.#home = options.home === undefined ? {} : { home: options.home };
    this.#ownsData = options.dataDir === undefined;
    this.settings = {
      // Tests send many requests at a time: more than the default limits allow.
      SERVICE_RATE_PER_TOKEN: '0',
      SERVICE_RATE_PER_ADDRESS: '0',
      ...options.settings,
      SERVICE_HTTP_PORT: String(port),
      SERVICE_DATA_DIR: dataDir,
    };
  }

  /** Not started yet. */
  static async prepare(options: ServiceOptions = {}): Promise<Service> {
    const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'drover-service-')));
    return new Service(dataDir, await freePort(), options);
  }

  static async start(options: ServiceOptions = {}): Promise<Service> {
    const service = await Service.prepare(options);
    await service.start();
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The running process, or the last one that ran. */
  get process(): DroverProcess {
    const last = this.#lives.at(-1);
    if (!last) throw new Error('the service was not started');
    return last;
  }

  /** All that it ever wrote to standard error, in all its lives. */
  get log(): string {
    return this.#lives.map((life) => life.stderr).join('');
  }

  /** Returns when it is ready to work; may be called again after its end. */
  async start(): Promise<void> {
    const args = this.#entry === 'start' ? [] : ['serve'];
    const life = new DroverProcess(args, { settings: this.settings, entry: this.#entry, ...this.#home });
    this.#lives.push(life);
    await eventually('the service is ready', UP_WITHIN_MS, async () => {
      if (!life.isRunning) throw new Error(`the service did not start: ${life.stderr}`);
      const status = await fetch(`${this.url}/readyz`).then(
        async (response) => response.body?.cancel().then(() => response.status),
        () => undefined,
      );
      return status === 200 ? true : undefined;
    });
  }

  /** SIGTERM; returns the exit code. */
  async stop(): Promise<number | null> {
    this.process.signal('SIGTERM');
    const over = new AbortController();
    const late = sleep(DOWN_WITHIN_MS, null, { signal: over.signal }).catch(() => null);
    const ended = await Promise.race([this.process.ended, late]);
    over.abort();
    if (ended === null) {
      await this.kill9();
      throw new Error(`the service did not stop on SIGTERM: ${this.log.slice(-4_000)}`);
    }
    return ended.code;
  }

  async kill9(): Promise<void> {
    this.process.signal('SIGKILL');
    await this.process.ended;
  }

  /** Runs a command to its end, with the configuration of the service. */
  async cli(
    args: readonly string[],
    options: { readonly settings?: Settings; readonly input?: string; readonly cwd?: string } = {},
  ): Promise<CliEnded> {
    const ended = await this.command(args, options).ended;
    return { ...ended, json: parsed(ended.stdout) };
  }

  /** The same, without waiting for its end. */
  command(
    args: readonly string[],
    options: { readonly settings?: Settings; readonly input?: string; readonly cwd?: string } = {},
  ): DroverProcess {
    return new DroverProcess(args, {
      ...options,
      ...this.#home,
      settings: { ...this.settings, ...options.settings },
    });
  }

  /** The answer to a command that has to succeed. */
  async ask<T>(answer: z.ZodType<T>, args: readonly string[]): Promise<T> {
    const { code, stdout, stderr, json } = await this.cli([...args, '--json']);
    if (code !== 0) throw new Error(`drover ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return answer.parse(json);
  }

  /** A new token's secret. */
  async token(scopes = 'read,jobs', name = 'mcp-try'): Promise<string> {
    return (await this.ask(Token, ['token', 'create', '--name', name, '--scopes', scopes])).secret;
  }

  /** Ends it if it runs, and removes its data if that is its own. */
  async remove(): Promise<void> {
    if (this.#lives.at(-1)?.isRunning) await this.kill9();
    if (this.#ownsData) await rm(this.dataDir, { recursive: true, force: true });
  }
}

/**
 * A service for the test file (or group of tests) that calls it, started before and removed after. The options are
 * asked for when it is started: by then the hosts and databases that were asked for earlier are there.
 */
export function useService(
  options: () => ServiceOptions | Promise<ServiceOptions> = () => ({}),
): () => Service {
  let service: Service | undefined;
  beforeAll(async () => {
    service = await Service.start(await options());
  });
  afterAll(() => service?.remove());
  return () => {
    if (!service) throw new Error('the service is there once beforeAll has run');
    return service;
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
