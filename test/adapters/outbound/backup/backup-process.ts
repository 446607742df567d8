import { TreeBackupEngine } from '../../../../src/adapters/outbound/backup/tree-backup-engine.ts';
import { LocalRemoteHosts } from '../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';
import type { BackupSource } from '../../../../src/domain/backups/backup-source.ts';

// A process that takes one snapshot, to be killed in the middle of it.
const [root = '', source = ''] = process.argv.slice(2);
const host = await new LocalRemoteHosts().connect({
  kind: 'local',
  serverId: 7,
  serverName: 'here',
  become: 'none',
});
const watch = {
  signal: new AbortController().signal,
  log: () => undefined,
  progress: (current: string) => process.stdout.write(`${current}\n`),
};
const described = JSON.parse(source) as BackupSource;
process.stdout.write('started\n');
await new TreeBackupEngine({ root }).backup(
  { host, source: described, jobId: 1, startedAt: Date.now() },
  watch,
);
process.stdout.write('done\n');
