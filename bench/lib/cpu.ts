import { readFileSync } from 'node:fs';

/** Processor time of a process so far, in milliseconds (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html). */
export function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The same including ended child programs. */
export function cpuWithChildren(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0) * 10;
}
