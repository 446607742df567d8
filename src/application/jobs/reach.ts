import type { Reach } from '../ports/backups/backup-engine.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import type { JobContext } from './runner.ts';

/** Connects to the job's server when it is first asked to; the job releases it. */
export function reachOf(context: JobContext): Reach {
  let opened: Promise<RemoteHost> | null = null;
  return () => (opened ??= context.openHost('bulk'));
}
