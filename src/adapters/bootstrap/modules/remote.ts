import { BackupRunner } from '../../../application/backups/backup-runner.ts';
import { DumpRestoreRunner } from '../../../application/backups/dump-restore-runner.ts';
import { HOOK_TIMES } from '../../../application/backups/hook-runs.ts';
import { RestoreRunner } from '../../../application/backups/restore-runner.ts';
import { RetentionRunner } from '../../../application/backups/retention-runner.ts';
import { SnapshotVerifyRunner } from '../../../application/backups/snapshot-verify-runner.ts';
import { SourceHooks } from '../../../application/backups/source-hooks.ts';
import type { PartClass } from '../../../application/base/parts.ts';
import { ContainerPatchRunner } from '../../../application/compose/container-patch-runner.ts';
import { ContainerUpdateCheckRunner } from '../../../application/compose/container-update-check-runner.ts';
import { StackCheckRunner } from '../../../application/compose/stack-check-runner.ts';
import { StackRunner } from '../../../application/compose/stack-runner.ts';
import { TemplateDeployRunner } from '../../../application/compose/template-deploy-runner.ts';
import { HostRebootRunner } from '../../../application/fleet/host-reboot-runner.ts';
import { OsDowngradeRunner } from '../../../application/fleet/os-downgrade-runner.ts';
import { OsPatchRunner } from '../../../application/fleet/os-patch-runner.ts';
import { OsUpdateCheckRunner } from '../../../application/fleet/os-update-check-runner.ts';
import { type JobRunner, JobRunners } from '../../../application/jobs/runner.ts';
import type { JailFileSystems } from '../../../application/ports/files/jail-fs.ts';
import type { HostAccess } from '../../../application/ports/fleet/remote-host.ts';
import { RestEventBodies } from '../../inbound/api/event-bodies.ts';
import { ProcessMetrics } from '../../inbound/metrics/process-metrics.ts';
import { CommitLocks } from '../../outbound/hosts/jail/commit-locks.ts';
import { FileWriteJournal } from '../../outbound/hosts/jail/file-write-journal.ts';
import { JournalledJails } from '../../outbound/hosts/jail/journalled-jails.ts';
import { LocalJails } from '../../outbound/hosts/jail/local/local-jail-fs.ts';
import { ShellJails } from '../../outbound/hosts/jail/remote/shell-jails.ts';
import { ChannelSenders } from '../../outbound/notifications/channel-senders.ts';
import { HttpPoster } from '../../outbound/notifications/http-poster.ts';
import { HttpWebhookSender } from '../../outbound/notifications/http-webhook-sender.ts';
import { MqttBroker } from '../../outbound/notifications/mqtt-broker.ts';
import { SmtpSender } from '../../outbound/notifications/smtp-sender.ts';
import { WebPushSender } from '../../outbound/notifications/web-push-sender.ts';
import { OpenidProviders } from '../../outbound/oidc/openid-providers.ts';
import { SimplewebauthnVerifier } from '../../outbound/passkeys/simplewebauthn-verifier.ts';
import { EemeliYamlText } from '../../outbound/system/eemeli-yaml-text.ts';
import { ownProcess } from '../../outbound/system/own-process.ts';
import { ScryptPasswordHasher } from '../../outbound/system/scrypt-password-hasher.ts';
import { TotpCodes } from '../../outbound/system/totp-codes.ts';
import { ZxcvbnStrength } from '../../outbound/system/zxcvbn-strength.ts';
import { ZipArchiver } from '../../outbound/zip/zip-archiver.ts';
import type { Makers, Program } from '../program.ts';
import { hostPorts, type MadeUp } from './hosts.ts';

/** The parts that run jobs. */
const RUNNERS: readonly PartClass<JobRunner>[] = [
  BackupRunner,
  RetentionRunner,
  RestoreRunner,
  DumpRestoreRunner,
  SnapshotVerifyRunner,
  OsUpdateCheckRunner,
  OsPatchRunner,
  OsDowngradeRunner,
  HostRebootRunner,
  ContainerUpdateCheckRunner,
  ContainerPatchRunner,
  StackCheckRunner,
  StackRunner,
  TemplateDeployRunner,
];

/** Messages, and other requests to servers of other people. */
const messagePorts = {
  bodies: (parts) => new RestEventBodies(parts),
  poster: (parts) => new HttpPoster(parts),
  broker: (parts) => new MqttBroker(parts),
  identityProviders: ({ poster }) => new OpenidProviders({ http: poster }),
} satisfies Partial<Makers>;

const senderPorts = ({ senders }: MadeUp) =>
  ({
    pushSender: (parts) => Object.assign(new WebPushSender(parts), senders?.pushSender),
    webhookSender: (parts) => senders?.webhookSender ?? new HttpWebhookSender(parts),
    channelSender: (parts) =>
      senders?.channelSender ??
      new ChannelSenders({ poster: parts.poster, smtp: new SmtpSender(parts), broker: parts.broker }),
  }) satisfies Partial<Makers>;

/** Files of servers. */
const filePorts = {
  journal: ({ dataDir, processes, randomness, clock }) =>
    new FileWriteJournal({
      dataDir,
      processes,
      newId: () => Buffer.from(randomness.bytes(12)).toString('hex'),
      now: () => clock.now(),
    }),
  jails: ({ processes, randomness, clock, hosts, places, journal }) => {
    const shared = { randomBytes: (count: number) => randomness.bytes(count), locks: new CommitLocks() };
    const now = (): number => clock.now();
    const local = new LocalJails({ ...shared, processes, now, keptOut: () => places.here() });
    const ssh = new ShellJails({ ...shared, hosts, places, now });
    const byKind: Record<HostAccess['kind'], JailFileSystems> = { local, ssh };
    return new JournalledJails(
      { open: (access, ...where) => byKind[access.kind].open(access, ...where) },
      journal,
    );
  },
  archiver: () => new ZipArchiver(),
} satisfies Partial<Makers>;

/** Slow to load, and not needed by lists. */
const heavyPorts = {
  hasher: () => new ScryptPasswordHasher(),
  strength: () => new ZxcvbnStrength(),
  codes: () => new TotpCodes(),
  passkeyVerifier: () => new SimplewebauthnVerifier(),
  yaml: () => new EemeliYamlText(),
  sourceHooks: ({ runs, clock }) =>
    new SourceHooks({ runs, clock, process: ownProcess(), times: HOOK_TIMES }),
  processMetrics: ({ database }) => new ProcessMetrics({ pool: () => database.pool() }),
} satisfies Partial<Makers>;

/**
 * Everything that connects to other machines, and the parts of jobs that need it. Half of the program: read-only
 * commands do not load it.
 */
export const remotePorts = (madeUp: MadeUp, program: () => Program) =>
  ({
    ...hostPorts(madeUp),
    ...filePorts,
    ...messagePorts,
    ...senderPorts(madeUp),
    ...heavyPorts,
    runners: (parts) =>
      madeUp.runners?.(program(), parts) ?? new JobRunners(RUNNERS.map((runner) => program().get(runner))),
    ...(madeUp.jails ? { jails: () => madeUp.jails as JailFileSystems } : {}),
  }) satisfies Partial<Makers>;

export type RemotePorts = ReturnType<typeof remotePorts>;
