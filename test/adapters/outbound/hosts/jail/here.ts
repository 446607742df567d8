import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { CommitLocks } from '../../../../../src/adapters/outbound/hosts/jail/commit-locks.ts';
import {
  LocalJails,
  type LocalJailsDeps,
} from '../../../../../src/adapters/outbound/hosts/jail/local/local-jail-fs.ts';
import { ShellJails } from '../../../../../src/adapters/outbound/hosts/jail/remote/shell-jails.ts';
import { LinuxProcessList } from '../../../../../src/adapters/outbound/system/linux-process-list.ts';
import type { ProtectedPlaces } from '../../../../../src/application/ports/backups/protected-places.ts';
import type { LocalAccess, RemoteHosts } from '../../../../../src/application/ports/fleet/remote-host.ts';
import { NO_PLACES } from '../../../../support/service-places.ts';

export const HERE: LocalAccess = { kind: 'local', serverId: 1, serverName: 'here', become: 'none' };

/** No file root may be below /tmp, where tests otherwise keep their files. */
export async function jailRoot(): Promise<{ readonly root: string; readonly remove: () => Promise<void> }> {
  const root = await mkdtemp('/var/tmp/drover-jail-');
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

export const localJails = (deps: Partial<LocalJailsDeps> = {}): LocalJails =>
  new LocalJails({
    processes: new LinuxProcessList(),
    randomBytes,
    now: Date.now,
    locks: new CommitLocks(),
    keptOut: () => ({ inodes: [], holders: [], absent: [], mountIds: new Set() }),
    ...deps,
  });

export const shellJails = (hosts: RemoteHosts, places: ProtectedPlaces = NO_PLACES): ShellJails =>
  new ShellJails({ hosts, places, randomBytes, now: Date.now, locks: new CommitLocks() });
