import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LocalRemoteHosts } from '../../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';
import type { LocalAccess } from '../../../../../src/application/ports/fleet/remote-host.ts';
import { detachedRunsContract } from '../../../../contracts/detached-runs.contract.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { ToldRuns } from './told-runs.ts';

const access: LocalAccess = { kind: 'local', serverId: 1, serverName: 'self', become: 'none' };

detachedRunsContract('this machine', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'drover-runs-'));
  const hosts = new LocalRemoteHosts();
  return new ToldRuns(await hosts.connect(access), directory, () => hosts.closeAll());
});

describeWith('busybox', 'with the programs of busybox alone', () => {
  detachedRunsContract('busybox', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'drover-runs-'));
    const programs = await mkdtemp(join(tmpdir(), 'drover-busybox-'));
    await promisify(execFile)('busybox', ['--install', '-s', programs]);
    const hosts = new LocalRemoteHosts({ path: programs });
    return new ToldRuns(await hosts.connect(access), directory, async () => {
      await hosts.closeAll();
      await rm(programs, { recursive: true });
    });
  });
});
