import { hostname } from 'node:os';
import { LEASE_TIMES } from '../../../application/jobs/claimed-job.ts';
import { HOUR } from '../../../domain/base/instant.ts';
import { kernelHere, ServicePlaces } from '../../outbound/hosts/protection/service-places.ts';
import { CronerClock } from '../../outbound/system/croner-clock.ts';
import { JsTextDiff } from '../../outbound/system/js-text-diff.ts';
import { LinuxProcessList } from '../../outbound/system/linux-process-list.ts';
import { NodeDigest } from '../../outbound/system/node-digest.ts';
import { SystemRandomness } from '../../outbound/system/system-randomness.ts';
import type { Config } from '../config.ts';
import { environmentProvider } from '../environment-provider.ts';
import { environmentWebhook } from '../environment-webhook.ts';
import { keptPlaces } from '../kept-places.ts';
import type { Makers } from '../program.ts';
import { VERSION } from '../version.ts';

/** The configuration. */
export const settingsOf = (config: Config) =>
  ({
    version: () => VERSION,
    dataDir: () => config.dataDir,
    ownBootId: () => kernelHere(),
    agentSocket: () => config.agentSocket,
    machineName: () => hostname(),
    backupStaleHours: () => config.backupStaleHours,
    metricsPerServer: () => config.metricsPerServer,
    mostBytes: () => config.fileLimitMib * 1024 * 1024,
    hostFiles: () => config.hostFiles,
    tokensDisabled: () => config.demo,
    concurrency: () => config.concurrency,
    leaseTimes: () => LEASE_TIMES,
    leaseMs: () => LEASE_TIMES.leaseMs,
    approvalMs: () => config.approvalHours * HOUR,
    publicUrl: () => config.publicUrl,
    allowPrivate: () => config.webhookAllowPrivate,
    environmentWebhook: () => environmentWebhook(config),
    environmentProvider: () => environmentProvider(config),
    kept: () => ({
      jobs: config.keepJobsDays,
      logs: config.keepLogsDays,
      events: config.keepEventsDays,
      notifications: config.keepNotificationsDays,
      audit: config.keepAuditDays,
    }),
    places: () => new ServicePlaces({ places: keptPlaces(config), dataDir: config.dataDir }),
  }) satisfies Partial<Makers>;

/** The resources of this machine and process. */
export const systemPorts = {
  owner: ({ processes }) => processes.self,
  processes: () => new LinuxProcessList(),
  cron: () => new CronerClock(),
  randomness: () => new SystemRandomness(),
  digest: () => new NodeDigest(),
  textDiff: () => new JsTextDiff(),
} satisfies Partial<Makers>;
