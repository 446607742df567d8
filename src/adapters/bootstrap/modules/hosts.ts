import { join } from 'node:path';
import type { Container } from 'inversify';
import { RsyncBackupEngine } from '../../backup/rsync-backup-engine.ts';
import { ShellDetachedRuns } from '../../detached/shell-detached-runs.ts';
import { ShellHostFacts } from '../../facts/shell-host-facts.ts';
import { RoutingRemoteHosts } from '../../hosts/routing-remote-hosts.ts';
import { LocalRemoteHosts } from '../../local/local-remote-hosts.ts';
import { packageManagers } from '../../packages/package-managers.ts';
import { SshKeyMaker } from '../../ssh/ssh-keys.ts';
import { SshRemoteHosts } from '../../ssh/ssh-remote-hosts.ts';
import { PORTS, VALUES } from '../tokens.ts';

const { hosts, keyMaker, facts, engine, clock, randomness } = PORTS;

/** Everything that touches hosts. */
export function bindHosts(container: Container): void {
  container
    .bind(hosts)
    .toResolvedValue(
      () => new RoutingRemoteHosts({ local: new LocalRemoteHosts(), ssh: new SshRemoteHosts() }),
    )
    .inSingletonScope();
  container.bind(PORTS.detachedRuns).toConstantValue(new ShellDetachedRuns());
  container.bind(keyMaker).toConstantValue(new SshKeyMaker());
  container
    .bind(facts)
    .toResolvedValue((chance) => new ShellHostFacts({ randomness: chance }), [randomness])
    .inSingletonScope();
  container
    .bind(PORTS.packageManagers)
    .toResolvedValue(
      (time, chance) => packageManagers({ clock: time, randomness: chance }),
      [clock, randomness],
    )
    .inSingletonScope();
  container
    .bind(engine)
    .toResolvedValue((dataDir) => new RsyncBackupEngine({ root: join(dataDir, 'backups') }), [VALUES.dataDir])
    .inSingletonScope();
}
