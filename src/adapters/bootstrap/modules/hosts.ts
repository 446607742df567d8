import { join } from 'node:path';
import type { Container } from 'inversify';
import { BackupEngines } from '../../../application/ports/backups/backup-engine.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { RemoteHosts } from '../../../application/ports/fleet/remote-host.ts';
import { HostDumpClient } from '../../backup/dumps/host-dump-client.ts';
import { GuardedBackupEngine } from '../../backup/guarded-backup-engine.ts';
import { ResticBackupEngine } from '../../backup/restic/restic-backup-engine.ts';
import { ResticInspector } from '../../backup/restic/restic-inspector.ts';
import { ShellExclusionSurvey } from '../../backup/shell-exclusion-survey.ts';
import { TreeBackupEngine } from '../../backup/tree-backup-engine.ts';
import { ShellContainerEngine } from '../../containers/shell-container-engine.ts';
import { ShellDetachedRuns } from '../../detached/shell-detached-runs.ts';
import { ShellHostFacts } from '../../facts/shell-host-facts.ts';
import { RoutingRemoteHosts } from '../../hosts/routing-remote-hosts.ts';
import { LocalRemoteHosts } from '../../local/local-remote-hosts.ts';
import { packageManagers } from '../../packages/package-managers.ts';
import { SshKeyMaker } from '../../ssh/ssh-keys.ts';
import { SshRemoteHosts } from '../../ssh/ssh-remote-hosts.ts';
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
