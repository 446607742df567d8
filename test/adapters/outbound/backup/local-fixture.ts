import { chmod, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { must } from '../../../../scripts/lib/programs.mjs';
import { TreeBackupEngine } from '../../../../src/adapters/outbound/backup/tree-backup-engine.ts';
import { LocalRemoteHosts } from '../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';
import type { RemoteHost } from '../../../../src/application/ports/fleet/remote-host.ts';
import type { NewSnapshot } from '../../../../src/domain/backups/snapshot.ts';
import type { BackupSubject } from '../../../contracts/backup-engine.contract.ts';
import { withPath } from './host-troubles.ts';

/** The rsync engine with a separate store and this machine as the host. */
export class LocalFixture implements BackupSubject {
  readonly engine: TreeBackupEngine;
  readonly host: RemoteHost;
  readonly directory: string;
  readonly root: string;
  readonly #hosts: LocalRemoteHosts;
  readonly #base: string;

  private constructor(base: string, hosts: LocalRemoteHosts, host: RemoteHost, root: string) {
    this.#base = base;
    this.#hosts = hosts;
    this.host = host;
    this.directory = join(base, 'host');
    this.root = root;
    this.engine = new TreeBackupEngine({ root });
  }

  static async create(
    options: {
      readonly root?: string;
      readonly host?: RemoteHost;
      /** The only programs that the host has are busybox's. */
      readonly busybox?: boolean;
    } = {},
  ): Promise<LocalFixture> {
    const base = await mkdtemp(join(tmpdir(), 'drover-backup-'));
    const hosts = new LocalRemoteHosts();
    const here = await hosts.connect({ kind: 'local', serverId: 7, serverName: 'here', become: 'none' });
    const bin = join(base, 'bin');
    if (options.busybox) await must('sh', ['-c', 'mkdir "$1" && busybox --install -s "$1"', 'install', bin]);
    const host = options.busybox ? withPath(here, bin) : (options.host ?? here);
    const fixture = new LocalFixture(base, hosts, host, options.root ?? join(base, 'store'));
    await mkdir(fixture.directory);
    return fixture;
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }

  remove(path: string): Promise<void> {
    return rm(path, { recursive: true });
  }

  async read(path: string): Promise<string | null> {
    return readFile(path, 'utf8').catch(() => null);
  }

  transferred(bytes: number): number {
    return bytes;
  }

  /** The snapshot's files. */
  filesOf(snapshot: NewSnapshot): string {
    const { serverId, sourceId, name } = snapshot;
    return join(this.root, String(serverId), String(sourceId), 'snapshots', name, 'files');
  }

  /** Leaves no trace but the content: size permitting, mode and time are as before. */
  async damage(snapshot: NewSnapshot, path: string, content: string): Promise<void> {
    const place = join(this.filesOf(snapshot), path);
    const { atime, mtime, mode } = await stat(place);
    await chmod(place, 0o600);
    await writeFile(place, content);
    await chmod(place, mode);
    await utimes(place, atime, mtime);
  }

  async close(): Promise<void> {
    await this.#hosts.closeAll();
    await rm(this.#base, { recursive: true, force: true });
  }
}
