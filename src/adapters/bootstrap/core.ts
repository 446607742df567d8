import { hostname } from 'node:os';
import { Container } from 'inversify';
import { LEASE_TIMES } from '../../application/jobs/claimed-job.ts';
import type { Logger } from '../../application/ports/base/logger.ts';
import type { Randomness } from '../../application/ports/base/randomness.ts';
import type { SettingStore } from '../../application/ports/service/setting-store.ts';
import { HOUR } from '../../domain/base/instant.ts';
import { kernelHere, ServicePlaces } from '../outbound/hosts/protection/service-places.ts';
import { openAuditMac } from '../outbound/storage/secrets/audit-mac.ts';
import { openSecretBox } from '../outbound/storage/secrets/open-secret-box.ts';
import { openDatabase } from '../outbound/storage/sql/database.ts';
import { migrate } from '../outbound/storage/sql/migrate.ts';
import { serviceDataOf } from '../outbound/storage/sql/service-data.ts';
import { signAudit } from '../outbound/storage/sql/stores/record-change.ts';
import { SqlAuditChain } from '../outbound/storage/sql/stores/sql-audit-chain.ts';
import { INSTANCE, SqlSettingStore } from '../outbound/storage/sql/stores/sql-setting-store.ts';
import { CronerClock } from '../outbound/system/croner-clock.ts';
import { LinuxProcessList } from '../outbound/system/linux-process-list.ts';
import { NodeDigest } from '../outbound/system/node-digest.ts';
import { SystemClock } from '../outbound/system/system-clock.ts';
import { SystemRandomness } from '../outbound/system/system-randomness.ts';
import type { Config } from './config.ts';
import { environmentWebhook } from './environment-webhook.ts';
import { keptPlaces } from './kept-places.ts';
import { bindAccounts } from './modules/accounts.ts';
import { bindAlerts } from './modules/alerts.ts';
import { bindAudit } from './modules/audit.ts';
import { bindHosts, type World } from './modules/hosts.ts';
import { bindJails } from './modules/jails.ts';
import { bindLoops } from './modules/loops.ts';
import { bindMetrics } from './modules/metrics.ts';
import { bindStores } from './modules/stores.ts';
import { bindUseCases } from './modules/use-cases.ts';
import { PORTS, VALUES } from './tokens.ts';
import { VERSION } from './version.ts';

/** The whole program without a door: what `serve` and every command are built on. */
export interface Core {
  readonly container: Container;
  /** Ends connections to hosts and database. */
  close(): Promise<void>;
}

/** Opens the database (bringing its schema up to date), unlocks the secrets, and wires everything. */
export async function openCore(config: Config, log: Logger, world: World = {}): Promise<Core> {
  const processes = new LinuxProcessList();
  const database = openDatabase({ url: config.databaseUrl?.reveal() ?? null, dataDir: config.dataDir, log });
  try {
    await migrate(database, { owner: processes.self, log });
    const settings = new SqlSettingStore(database);
    const randomness = new SystemRandomness();
    const box = await openSecretBox(
      { configured: config.masterKeys, dataDir: config.dataDir },
      settings,
      log,
    );

    const mac = await openAuditMac(settings, box, randomness);
    signAudit(database, mac);

    const container = new Container();
    container.bind(PORTS.chain).toConstantValue(new SqlAuditChain(database, mac));
    bindValues(container, config);
    container.bind(VALUES.instance).toConstantValue(await instanceName(settings, randomness));
    container.bind(VALUES.owner).toConstantValue(processes.self);
    container.bind(PORTS.processes).toConstantValue(processes);
    container.bind(PORTS.log).toConstantValue(log);
    container.bind(PORTS.clock).toConstantValue(world.clock ?? new SystemClock());
    container.bind(PORTS.cron).toConstantValue(new CronerClock());
    container.bind(PORTS.randomness).toConstantValue(randomness);
    container.bind(PORTS.digest).toConstantValue(new NodeDigest());
    container.bind(PORTS.settings).toConstantValue(settings);
    container.bind(PORTS.box).toConstantValue(box);
    container.bind(PORTS.serviceData).toConstantValue(serviceDataOf(database, config.dataDir));
    container
      .bind(PORTS.places)
      .toConstantValue(new ServicePlaces({ places: keptPlaces(config), dataDir: config.dataDir }));
    bindStores(container, database);
    bindHosts(container, world);
    bindUseCases(container);
    bindJails(container);
    bindAccounts(container);
    bindAudit(container);
    bindMetrics(container);
    bindAlerts(container);
    bindLoops(container);
    return {
      container,
      close: async () => {
        await container.get(PORTS.hosts).closeAll();
        container.get(PORTS.poster).close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function instanceName(settings: SettingStore, randomness: Randomness): Promise<string> {
  await settings.setOnce(INSTANCE, Buffer.from(randomness.bytes(6)).toString('hex'));
  return (await settings.get(INSTANCE)) ?? '';
}

function bindValues(container: Container, config: Config): void {
  container.bind(VALUES.version).toConstantValue(VERSION);
  container.bind(VALUES.dataDir).toConstantValue(config.dataDir);
  container.bind(VALUES.ownBootId).toConstantValue(kernelHere());
  container.bind(VALUES.agentSocket).toConstantValue(config.agentSocket);
  container.bind(VALUES.machineName).toConstantValue(hostname());
  container.bind(VALUES.backupStaleHours).toConstantValue(config.backupStaleHours);
  container.bind(VALUES.metricsPerServer).toConstantValue(config.metricsPerServer);
  container.bind(VALUES.hostFiles).toConstantValue(config.hostFiles);
  container.bind(VALUES.fileLimitBytes).toConstantValue(config.fileLimitMib * 1024 * 1024);
  container.bind(VALUES.tokensDisabled).toConstantValue(config.demo);
  container.bind(VALUES.concurrency).toConstantValue(config.concurrency);
  container.bind(VALUES.leaseTimes).toConstantValue(LEASE_TIMES);
  container.bind(VALUES.approvalMs).toConstantValue(config.approvalHours * HOUR);
  container.bind(VALUES.publicUrl).toConstantValue(config.publicUrl);
  container.bind(VALUES.allowPrivate).toConstantValue(config.webhookAllowPrivate);
  container.bind(VALUES.environmentWebhook).toConstantValue(environmentWebhook(config));
  container.bind(VALUES.kept).toConstantValue({
    jobs: config.keepJobsDays,
    logs: config.keepLogsDays,
    events: config.keepEventsDays,
    notifications: config.keepNotificationsDays,
    audit: config.keepAuditDays,
  });
  container.bind(VALUES.leaseMs).toConstantValue(LEASE_TIMES.leaseMs);
}
