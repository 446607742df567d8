import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** A pid alone may by now belong to another process; with its start time (kernel clock ticks) it may not. */
export const ProcessId = z.object({ pid: z.int(), started: z.string() });
export type ProcessId = z.infer<typeof ProcessId>;

export function thisProcess(): ProcessId {
  return { pid: process.pid, started: statusOf(process.pid)?.started ?? '' };
}

export function isAlive(id: ProcessId): boolean {
  const status = statusOf(id.pid);
  return status !== undefined && status.started === id.started && status.state !== 'Z';
}

/** SIGKILL, unless the pid belongs to another process by now. */
export function killExactly(id: ProcessId): void {
  if (isAlive(id)) process.kill(id.pid, 'SIGKILL');
}

function statusOf(pid: number): { state: string; started: string } | undefined {
  try {
    // proc(5): the command's name is in parentheses and may hold blanks; state is field 3, starttime field 22.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}
