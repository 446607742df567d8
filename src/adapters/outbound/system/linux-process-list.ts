import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import type { ProcessList } from '../../../application/ports/service/process-list.ts';

/**
 * A process is named `boot.namespace.pid.start.random`: the boot id of its kernel, its process namespace, its id, and
 * the clock tick of its start (field 22 of /proc/pid/stat, see proc(5)), since ids are reused. Without /proc, the
 * name is only random and no process is ever considered dead: leases then expire.
 */
export class LinuxProcessList implements ProcessList {
  readonly self: string;
  readonly #here: string | null;

  constructor() {
    const random = randomBytes(6).toString('hex');
    this.#here = placeName();
    const started = startTick(process.pid);
    this.self =
      this.#here === null || started === null
        ? `unknown.${random}`
        : `${this.#here}.${process.pid}.${started}.${random}`;
  }

  isDead(name: string): boolean {
    if (name === this.self || this.#here === null || !name.startsWith(`${this.#here}.`)) return false;
    const [pid, started] = name.slice(this.#here.length + 1).split('.');
    if (!pid || !started || !/^[1-9]\d*$/.test(pid)) return false;
    return startTick(Number(pid)) !== started;
  }
}

function placeName(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    return namespace ? `${boot}.${namespace}` : null;
  } catch {
    return null;
  }
}

/** When a process started, or `null` if it does not exist. */
function startTick(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name is in parentheses and may contain anything; the fields are counted after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const state = fields[0];
    // A zombie has ended; only its parent has not noticed yet.
    return state === 'Z' || state === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
