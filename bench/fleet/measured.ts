import { readdirSync, readFileSync } from 'node:fs';

export interface Measured {
  /** Seconds on the clock. */
  readonly wall: number;
  /** Seconds of processor time of the controlling program, not of the hosts. */
  readonly cpu: number;
}

/** The median of the walls, and of the processor times. */
export function median(runs: readonly Measured[]): Measured {
  const middle = (of: (run: Measured) => number): number => {
    const sorted = runs.map(of).toSorted((one, other) => one - other);
    const [low = 0, high = low] = sorted.slice(
      Math.ceil(runs.length / 2) - 1,
      Math.floor(runs.length / 2) + 1,
    );
    return (low + high) / 2;
  };
  return { wall: middle((run) => run.wall), cpu: middle((run) => run.cpu) };
}

/** Ticks of user and system time are the 14th and 15th field, see proc(5); Linux shows 100 a second. */
const TICKS = 100;

/** The same of all processes whose command line holds this text. */
export function processorTimeOf(text: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.reduce((sum, pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
        ? sum + processorTime(Number(pid))
        : sum;
    } catch {
      return sum; // it ended meanwhile
    }
  }, 0);
}

/** Processor time that a process has used so far, in seconds. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
