import { readFileSync } from 'node:fs';
import type { ServiceProcess } from '../../../application/ports/backups/service-process.ts';

/** `null` where /proc does not say. */
export function ownProcess(): ServiceProcess | null {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // field 22, counted from behind the name in parentheses, see proc(5)
    const tick = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    return Number.isSafeInteger(tick) ? { bootId, pid: process.pid, tick } : null;
  } catch {
    return null;
  }
}
