import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** As users start it: `drover` is the command, `start` is `npm start`. */
export const ENTRIES = {
  drover: join('bin', 'drover.mjs'),
  start: join('scripts', 'start.mjs'),
} as const;

/** The settings of the test's user must not reach the programs under test. */
const OURS = /^(SERVICE_|METRICS_|WEBHOOK_|SSH_AUTH_SOCK$|VITEST|NODE_OPTIONS$|NODE_V8_COVERAGE$)/;

const LIVING = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of LIVING) child.kill('SIGKILL');
});

export type Settings = Readonly<Record<string, string>>;

export interface Ended {
  /** The exit code; `null` when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One run of the built program, in a separate process that does not outlive this one. */
export class DroverProcess {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ended>;

  constructor(
    args: readonly string[],
    options: {
      readonly settings?: Settings;
      readonly entry?: keyof typeof ENTRIES;
      /** The program's directory; by default this checkout. */
      readonly home?: string;
      readonly cwd?: string;
      readonly input?: string;
      /** Put in front of the command line, such as `unshare -m`. */
      readonly through?: readonly string[];
    } = {},
  ) {
    const { settings = {}, entry = 'drover', home = ROOT, cwd, input, through = [] } = options;
    const script = join(home, ENTRIES[entry]);
    const [program = '', ...rest] = [...through, process.execPath, script, ...args];
    const inherited = Object.entries(process.env).filter(([name]) => !OURS.test(name));
    const child = spawn(program, rest, {
      env: { ...Object.fromEntries(inherited), ...settings },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    child.stdin?.on('error', () => undefined).end(input);
    LIVING.add(child);
    this.#ended = once(child, 'close').then(([code]: unknown[]) => {
      LIVING.delete(child);
      return {
        code: typeof code === 'number' ? code : null,
        stdout: this.stdout,
        stderr: this.stderr,
      };
    });
    // callers that await the end see the failure there
    this.#ended.catch(() => undefined);
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get ended(): Promise<Ended> {
    return this.#ended;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }
}
