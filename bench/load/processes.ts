import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../test/support/drover-process.ts';
import { freePort } from '../../test/support/free-port.ts';
import type { SimulatedHost } from '../../test/support/simulated-sshd.ts';
import { cpuOf } from '../lib/cpu.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
}

/** The simulated hosts, in a separate process. */
export async function startHosts(
  answerAfterMs: number,
): Promise<{ readonly host: SimulatedHost; cpu(): number; stop(): Promise<void> }> {
  const args = ['--import', 'tsx', here('hosts.ts'), String(answerAfterMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    host: JSON.parse(line.toString()),
    cpu: () => cpuOf(child.pid ?? 0),
    stop: () => end(child),
  };
}

/** The built service in a separate process, with its log in a file as in production. */
export class Replica {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #closeLog: () => Promise<void>;

  private constructor(url: string, child: ChildProcess, closeLog: () => Promise<void>) {
    this.url = url;
    this.#child = child;
    this.#closeLog = closeLog;
  }

  /** `hasProbe`: it can be asked for its `heap`. */
  static async start(settings: Settings, { hasProbe = false } = {}): Promise<Replica> {
    const port = await freePort();
    const log = await open(join(settings['SERVICE_DATA_DIR'] ?? '', `replica-${port}.log`), 'w');
    const probe = hasProbe ? ['--expose-gc', '--import', here('heap-probe.mjs')] : [];
    const child = spawn(process.execPath, [...probe, here('../../bin/drover.mjs'), 'serve'], {
      env: { ...process.env, ...settings, SERVICE_HTTP_PORT: String(port), SERVICE_HOST: '127.0.0.1' },
      stdio: ['ignore', log.fd, log.fd, ...(hasProbe ? (['ipc'] as const) : [])],
    });
    const url = `http://127.0.0.1:${port}`;
    while (
      !(await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error(`a replica ended with ${child.exitCode}`);
      await sleep(50);
    }
    return new Replica(url, child, () => log.close());
  }

  /** Processor time so far, in milliseconds. */
  cpu(): number {
    return cpuOf(this.#child.pid ?? 0);
  }

  /** Resident memory in MiB. */
  memory(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  }

  /** Bytes in use after a collection, which it makes: of the heap and of buffers. */
  async heap(): Promise<number> {
    const answer = once(this.#child, 'message');
    this.#child.send('heap');
    const [bytes] = (await answer) as [number];
    return bytes;
  }

  async stop(): Promise<void> {
    await end(this.#child);
    await this.#closeLog();
  }
}
