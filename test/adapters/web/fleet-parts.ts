import { SshKeyMaker } from '../../../src/adapters/ssh/ssh-keys.ts';
import { PreviewExclusions } from '../../../src/application/backup/preview-exclusions.ts';
import { CheckServer } from '../../../src/application/check-server.ts';
import { ConfirmHostKey, ScanHostKey } from '../../../src/application/confirm-host-key.ts';
import { ContactLog } from '../../../src/application/contact-log.ts';
import { GetInventory } from '../../../src/application/get-inventory.ts';
import { GetOverview } from '../../../src/application/get-overview.ts';
import { GetServer } from '../../../src/application/get-server.ts';
import { GetSummary } from '../../../src/application/get-summary.ts';
import { HostOpener } from '../../../src/application/host-opener.ts';
import { JobRunners } from '../../../src/application/jobs/runner.ts';
import { ListNotifications } from '../../../src/application/list-notifications.ts';
import { ListSchedules } from '../../../src/application/list-schedules.ts';
import { ListServers } from '../../../src/application/list-servers.ts';
import { ListSnapshots } from '../../../src/application/list-snapshots.ts';
import { ListWindows } from '../../../src/application/list-windows.ts';
import { ManageAlerts } from '../../../src/application/manage-alerts.ts';
import { ManageKeys } from '../../../src/application/manage-keys.ts';
import { ManageRepositories } from '../../../src/application/manage-repositories.ts';
import { ManageSources } from '../../../src/application/manage-sources.ts';
import { ManageWindows } from '../../../src/application/manage-windows.ts';
import { RefreshInventory } from '../../../src/application/refresh-inventory.ts';
import { EditServer, RegisterServer, RemoveServer } from '../../../src/application/register-server.ts';
import { SetFeatures } from '../../../src/application/set-features.ts';
import { TriggerJob } from '../../../src/application/trigger-job.ts';
import { JOB_TYPES } from '../../../src/domain/jobs/job.ts';
import { fakePreviews, idleOpener } from '../../fakes/fake-exclusion-survey.ts';
import { FakeHostFacts } from '../../fakes/fake-host-facts.ts';
import { FakeRemoteHosts } from '../../fakes/fake-remote-hosts.ts';
import { InMemoryInventoryStore } from '../../fakes/in-memory-inventory-store.ts';
import { InMemoryKeyStore } from '../../fakes/in-memory-key-store.ts';
import { InMemoryNotificationStore } from '../../fakes/in-memory-notification-store.ts';
import { PlainSecretBox } from '../../fakes/plain-secret-box.ts';
import type { ApplicationScene } from '../../support/application-scene.ts';

const STALE_HOURS = 36;

/** What pages about the fleet call, over hosts in memory. Jobs are asked for, and none runs. */
export function fleetParts(scene: ApplicationScene) {
  const hosts = new FakeRemoteHosts();
  const box = new PlainSecretBox();
  const keys = new InMemoryKeyStore(scene.world);
  const inventories = new InMemoryInventoryStore(scene.world);
  const notifications = new InMemoryNotificationStore(scene.world);
  const parts = { ...scene, hosts, box, keys, inventories, notifications };
  const contacts = new ContactLog(scene);
  const opener = new HostOpener({ ...parts, contacts, agentSocket: null });
  const facts = new FakeHostFacts();
  const refresh = new RefreshInventory({ ...parts, hosts: opener, facts });
  const stale = { backupStaleHours: STALE_HOURS };
  const getSummary = new GetSummary({ ...parts, ...stale });
  const never = () => Promise.reject(new Error('nothing runs here'));
  const runners = new JobRunners([{ types: JOB_TYPES, timeLimitMs: 1_000, plan: never, apply: never }]);
  return {
    world: { hosts, facts, notifications, inventories, keys },
    settings: { ...stale, hasSshAgent: false },
    useCases: {
      getSummary,
      getOverview: new GetOverview({ ...parts, ...stale, getSummary }),
      listServers: new ListServers({ ...parts, ...stale }),
      getServer: new GetServer(parts),
      getInventory: new GetInventory(parts),
      listSnapshots: new ListSnapshots(parts),
      listNotifications: new ListNotifications(parts),
      manageAlerts: new ManageAlerts(parts),
      registerServer: new RegisterServer(parts),
      editServer: new EditServer(parts),
      removeServer: new RemoveServer(parts),
      setFeatures: new SetFeatures(parts),
      manageKeys: new ManageKeys({ ...parts, maker: new SshKeyMaker() }),
      scanHostKey: new ScanHostKey({ ...parts, opener }),
      confirmHostKey: new ConfirmHostKey(parts),
      checkServer: new CheckServer({ ...parts, hosts: opener, inventory: refresh }),
      manageSources: new ManageSources(parts),
      previewExclusions: new PreviewExclusions({ ...parts, ...fakePreviews(), opener: idleOpener }),
      manageRepositories: new ManageRepositories(parts),
      listSchedules: new ListSchedules(parts),
      listWindows: new ListWindows(parts),
      manageWindows: new ManageWindows(parts),
      triggerJob: new TriggerJob({ ...parts, runners }),
    },
  };
}

export type FleetWorld = ReturnType<typeof fleetParts>['world'];
