// A service that makes one backup: node --import tsx bench/backup/one-backup.ts, with an order on standard input.
import { readFileSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { boundHeap } from '../../src/adapters/bootstrap/serve.ts';
import { ResticBackupEngine } from '../../src/adapters/outbound/backup/restic/restic-backup-engine.ts';
import { TreeBackupEngine } from '../../src/adapters/outbound/backup/tree-backup-engine.ts';
import { SshRemoteHosts } from '../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import type { BackupEngine } from '../../src/application/ports/backups/backup-engine.ts';
import type { SshAccess } from '../../src/application/ports/fleet/remote-host.ts';
import { describeSource } from '../../src/domain/backups/backup-source.ts';
import { NO_PLACES } from '../../test/support/service-places.ts';
import { cpuWithChildren } from '../lib/cpu.ts';
import type { Measured } from './measured.ts';

/** The order. */
export interface BackupOrder {
  readonly access: SshAccess;
  /** The source, and a small source that is backed up first: a service has been running for a while. */
  readonly from: string;
  readonly small: string;
  readonly root: string;
  /** For the stores of the small source, which stay: after a removal ext4 makes files more slowly. */
  readonly scratch: string;
  /** For the restic engine; otherwise it is the other one. */
  readonly repository?: string;
}

const order = JSON.parse(readFileSync(0, 'utf8')) as BackupOrder;

async function backUp(engine: BackupEngine, from: string): Promise<void> {
  const hosts = new SshRemoteHosts();
  const host = await hosts.connect(order.access, { purpose: 'bulk' });
  const watch = {
    signal: new AbortController().signal,
    log: () => undefined,
    progress: () => undefined,
  };
  const described = describeSource({ serverId: 1, name: 'bench', paths: [from], at: 0 });
  const source = { ...described, id: 1, lastSuccessAt: null };
  await engine.backup({ host, source, jobId: 1, startedAt: Date.now() }, watch);
  host.release();
  await hosts.closeAll();
}

function engineWith(root: string, url: string | undefined): BackupEngine {
  if (url === undefined) return new TreeBackupEngine({ root });
  const opened = {
    repository: { id: 1, name: 'bench', kind: 'local', url, initialisedAt: 1, createdAt: 0 },
    secrets: { password: process.env['RESTIC_PASSWORD'] ?? '', login: null },
    found: async () => undefined,
  } as const;
  return new ResticBackupEngine({ root, repositories: { ofSource: async () => opened }, places: NO_PLACES });
}

async function main(): Promise<void> {
  // as the service does
  boundHeap();
  const { repository } = order;
  const scratch = await mkdtemp(join(order.scratch, 'warm-'));
  const copy = join(scratch, 'repository');
  if (repository !== undefined) await cp(repository, copy, { recursive: true });
  const warm = engineWith(join(scratch, 'store'), repository && copy);
  for (let turn = 0; turn < 2; turn += 1) await backUp(warm, order.small);
  let latest = performance.now();
  let longest = 0;
  const beat = setInterval(() => {
    longest = Math.max(longest, performance.now() - latest - 5);
    latest = performance.now();
  }, 5);
  const before = cpuWithChildren(process.pid);
  const begun = performance.now();
  await backUp(engineWith(order.root, repository), order.from);
  const measured: Measured = {
    wall: (performance.now() - begun) / 1_000,
    cpu: (cpuWithChildren(process.pid) - before) / 1_000,
    mib: process.resourceUsage().maxRSS / 1_024,
    blocked: longest,
  };
  clearInterval(beat);
  process.stdout.write(JSON.stringify(measured));
}

void main();
