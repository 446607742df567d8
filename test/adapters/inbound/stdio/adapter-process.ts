import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export const PROGRAM = join(fileURLToPath(new URL('../../../..', import.meta.url)), 'bin', 'drover-mcp.mjs');

/** As clients start it: the settings and what a program needs to run, nothing else of our environment. */
export function environment(settings: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...settings };
}

export interface AdapterEnd {
  readonly code: number | null;
  readonly stderr: string;
}

/** The stdio adapter as a separate process, which does not outlive this one. */
export class AdapterProcess {
  /** Its standard error so far. */
  stderr = '';
  /** Unread messages; each was one line of JSON. */
  readonly said: Record<string, unknown>[] = [];
  /** Faults of standard output: lines that are not JSON. */
  readonly noise: string[] = [];
  readonly ended: Promise<AdapterEnd>;
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;

  constructor(
    settings: Record<string, string>,
    options: {
      readonly args?: readonly string[];
      readonly program?: readonly string[];
      readonly read?: boolean;
    } = {},
  ) {
    const { args = [], program = [PROGRAM], read = true } = options;
    this.child = spawn(process.execPath, [...program, ...args], {
      env: environment(settings),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const killWithUs = (): void => void this.child.kill('SIGKILL');
    process.once('exit', killWithUs);
    this.child.stdin.on('error', () => {});
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    if (read) createInterface({ input: this.child.stdout }).on('line', (line) => this.#hear(line));
    this.ended = once(this.child, read ? 'close' : 'exit').then(([code]) => {
      process.off('exit', killWithUs);
      return { code: code as number | null, stderr: this.stderr };
    });
  }

  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async answerTo(id: number): Promise<Record<string, unknown>> {
    for (;;) {
      const index = this.said.findIndex((message) => message['id'] === id);
      if (index !== -1) return this.said.splice(index, 1)[0] ?? {};
      const end = await Promise.race([once(this.child.stdout, 'heard').then(() => null), this.ended]);
      if (end !== null && !this.said.some((message) => message['id'] === id))
        throw new Error(`it ended with ${end.code} and without an answer: ${end.stderr}`);
    }
  }

  request(id: number, method: string, params: object = {}): Promise<Record<string, unknown>> {
    this.send({ id, method, params });
    return this.answerTo(id);
  }

  #hear(line: string): void {
    try {
      this.said.push(JSON.parse(line));
    } catch {
      this.noise.push(line);
    }
    this.child.stdout.emit('heard');
  }
}
