import { join } from 'node:path';
import type { UseCases } from '../../../application/base/parts.ts';
import type { JobRunners } from '../../../application/jobs/runner.ts';
import { BackupEngines } from '../../../application/ports/backups/backup-engine.ts';
import type { LiveFiles } from '../../../application/ports/backups/live-files.ts';
import type { StoreSpace } from '../../../application/ports/backups/store-space.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { JailFileSystems } from '../../../application/ports/files/jail-fs.ts';
import type { RemoteHosts } from '../../../application/ports/fleet/remote-host.ts';
import { DirectorySpace } from '../../outbound/backup/directory-space.ts';
import { HostDumpClient } from '../../outbound/backup/dumps/host-dump-client.ts';
import { GuardedBackupEngine } from '../../outbound/backup/guarded-backup-engine.ts';
import { ResticBackupEngine } from '../../outbound/backup/restic/restic-backup-engine.ts';
import { ResticInspector } from '../../outbound/backup/restic/restic-inspector.ts';
import { ShellExclusionSurvey } from '../../outbound/backup/shell-exclusion-survey.ts';
import { ShellLiveFiles } from '../../outbound/backup/shell-live-files.ts';
import { TreeBackupEngine } from '../../outbound/backup/tree-backup-engine.ts';
import { ShellContainerEngine } from '../../outbound/hosts/containers/shell-container-engine.ts';
import { ShellDetachedRuns } from '../../outbound/hosts/detached/shell-detached-runs.ts';
import { ShellHostFacts } from '../../outbound/hosts/facts/shell-host-facts.ts';
import { LocalRemoteHosts } from '../../outbound/hosts/local/local-remote-hosts.ts';
import { packageManagers } from '../../outbound/hosts/packages/package-managers.ts';
import { RoutingRemoteHosts } from '../../outbound/hosts/routing-remote-hosts.ts';
import { SshKeyMaker } from '../../outbound/hosts/ssh/ssh-keys.ts';
import { SshRemoteHosts } from '../../outbound/hosts/ssh/ssh-remote-hosts.ts';
import { ShellHostStates } from '../../outbound/hosts/state/shell-host-states.ts';
import type { AllParts, Makers } from '../program.ts';

/** Replacements for hosts, files, backups, the work of jobs, time and receivers, for the demo and the evaluations. */
export interface MadeUp {
  readonly runners?: (useCases: UseCases, parts: AllParts) => JobRunners;
  readonly hosts?: (parts: AllParts) => RemoteHosts;
  readonly jails?: JailFileSystems;
  readonly engines?: BackupEngines;
  readonly liveFiles?: LiveFiles;
  readonly storeSpace?: StoreSpace;
  readonly clock?: Clock;
  readonly senders?: Pick<AllParts, 'channelSender' | 'webhookSender'> & {
    readonly pushSender: Pick<AllParts['pushSender'], 'send'>;
  };
  /** What hosts answer. */
  readonly answers?: (
    parts: AllParts,
  ) => Pick<AllParts, 'facts' | 'hostStates' | 'survey'> & { readonly logs: AllParts['engine']['logs'] };
}

/** Everything that touches hosts. */
export const hostPorts = (instead: MadeUp) =>
  ({
    hosts: (parts) =>
      instead.hosts?.(parts) ??
      new RoutingRemoteHosts({ local: new LocalRemoteHosts(), ssh: new SshRemoteHosts() }),
    runs: () => new ShellDetachedRuns(),
    keyMaker: () => new SshKeyMaker(),
    facts: (parts) => instead.answers?.(parts).facts ?? new ShellHostFacts(parts),
    hostStates: (parts) => instead.answers?.(parts).hostStates ?? new ShellHostStates(parts),
    packageManagers: (parts) => packageManagers(parts),
    inspector: ({ places }) => new ResticInspector(places),
    engine: (parts) => {
      const engine = new ShellContainerEngine(parts);
      const logs = instead.answers?.(parts).logs;
      return logs ? Object.assign(engine, { logs }) : engine;
    },
    dumpClient: () => new HostDumpClient(),
    survey: (parts) =>
      instead.answers?.(parts).survey ??
      new ShellExclusionSurvey({ root: join(parts.dataDir, 'backups'), places: parts.places }),
    storeSpace: ({ dataDir }) => instead.storeSpace ?? new DirectorySpace(join(dataDir, 'backups')),
    liveFiles: () => instead.liveFiles ?? new ShellLiveFiles(),
    engines: (parts) => instead.engines ?? backupEngines(parts),
  }) satisfies Partial<Makers>;

function backupEngines({ dataDir, repositoryAccess, places }: AllParts): BackupEngines {
  const engines = [
    new TreeBackupEngine({ root: join(dataDir, 'backups') }),
    new ResticBackupEngine({ root: join(dataDir, 'manifests'), repositories: repositoryAccess, places }),
  ];
  return new BackupEngines(engines.map((engine) => new GuardedBackupEngine(engine, places)));
}
