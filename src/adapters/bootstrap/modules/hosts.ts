import { join } from 'node:path';
import type { Container } from 'inversify';
import { BackupEngines } from '../../../application/ports/backups/backup-engine.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { RemoteHosts } from '../../../application/ports/fleet/remote-host.ts';
import { HostDumpClient } from '../../outbound/backup/dumps/host-dump-client.ts';
import { GuardedBackupEngine } from '../../outbound/backup/guarded-backup-engine.ts';
import { ResticBackupEngine } from '../../outbound/backup/restic/restic-backup-engine.ts';
import { ResticInspector } from '../../outbound/backup/restic/restic-inspector.ts';
import { ShellExclusionSurvey } from '../../outbound/backup/shell-exclusion-survey.ts';
import { TreeBackupEngine } from '../../outbound/backup/tree-backup-engine.ts';
import { ShellContainerEngine } from '../../outbound/hosts/containers/shell-container-engine.ts';
import { ShellDetachedRuns } from '../../outbound/hosts/detached/shell-detached-runs.ts';
import { ShellHostFacts } from '../../outbound/hosts/facts/shell-host-facts.ts';
import { LocalRemoteHosts } from '../../outbound/hosts/local/local-remote-hosts.ts';
import { packageManagers } from '../../outbound/hosts/packages/package-managers.ts';
import { RoutingRemoteHosts } from '../../outbound/hosts/routing-remote-hosts.ts';
import { SshKeyMaker } from '../../outbound/hosts/ssh/ssh-keys.ts';
import { SshRemoteHosts } from '../../outbound/hosts/ssh/ssh-remote-hosts.ts';
import { PORTS, SHARED, VALUES } from '../tokens.ts';

const { hosts, keyMaker, facts, clock, randomness } = PORTS;

/** What is asked in place of hosts, of what was backed up and of the time, where these are made up. */
export interface World {
  readonly hosts?: RemoteHosts;
  readonly engines?: BackupEngines;
  readonly clock?: Clock;
}

/** Everything that touches hosts. */
export function bindHosts(container: Container, instead: World): void {
  container
    .bind(hosts)
    .toResolvedValue(
      () =>
        instead.hosts ?? new RoutingRemoteHosts({ local: new LocalRemoteHosts(), ssh: new SshRemoteHosts() }),
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
    .bind(PORTS.inspector)
    .toResolvedValue((places) => new ResticInspector(places), [PORTS.places])
    .inSingletonScope();
  container
    .bind(PORTS.containers)
    .toResolvedValue((chance) => new ShellContainerEngine({ randomness: chance }), [randomness])
    .inSingletonScope();
  container.bind(PORTS.dumpClient).toConstantValue(new HostDumpClient());
  container
    .bind(PORTS.exclusions)
    .toResolvedValue(
      (dataDir, places) => new ShellExclusionSurvey({ root: join(dataDir, 'backups'), places }),
      [VALUES.dataDir, PORTS.places],
    )
    .inSingletonScope();
  container
    .bind(PORTS.engines)
    .toResolvedValue(
      (dataDir, repositories, places) => {
        if (instead.engines) return instead.engines;
        const engines = [
          new TreeBackupEngine({ root: join(dataDir, 'backups') }),
          new ResticBackupEngine({ root: join(dataDir, 'manifests'), repositories, places }),
        ];
        return new BackupEngines(engines.map((engine) => new GuardedBackupEngine(engine, places)));
      },
      [VALUES.dataDir, SHARED.repositoryAccess, PORTS.places],
    )
    .inSingletonScope();
}
