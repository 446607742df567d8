import { SshKeyMaker } from '../../../../src/adapters/outbound/hosts/ssh/ssh-keys.ts';
import { ListSchedules } from '../../../../src/application/automation/list-schedules.ts';
import { ListWindows } from '../../../../src/application/automation/list-windows.ts';
import { ManageWindows } from '../../../../src/application/automation/manage-windows.ts';
import { PatchPolicies } from '../../../../src/application/automation/patch-policies.ts';
import { PreviewUpdates } from '../../../../src/application/automation/preview-updates.ts';
import { CheckSource } from '../../../../src/application/backups/check-source.ts';
import { ListSnapshots } from '../../../../src/application/backups/list-snapshots.ts';
import { ManageDumps } from '../../../../src/application/backups/manage-dumps.ts';
import { ManageRepositories } from '../../../../src/application/backups/manage-repositories.ts';
import { ManageSources } from '../../../../src/application/backups/manage-sources.ts';
import { PreviewExclusions } from '../../../../src/application/backups/preview-exclusions.ts';
import { SourceChecks } from '../../../../src/application/backups/source-checks.ts';
import { SourceDumps } from '../../../../src/application/backups/source-dumps.ts';
import { ReadContainerLog } from '../../../../src/application/compose/read-container-log.ts';
import { ListNotifications } from '../../../../src/application/events/list-notifications.ts';
import { ManageAlerts } from '../../../../src/application/events/manage-alerts.ts';
import { CheckServer } from '../../../../src/application/fleet/check-server.ts';
import { ConfirmHostKey, ScanHostKey } from '../../../../src/application/fleet/confirm-host-key.ts';
import { ContactLog } from '../../../../src/application/fleet/contact-log.ts';
import { GetFleetDays } from '../../../../src/application/fleet/fleet-days.ts';
import { GetInventory } from '../../../../src/application/fleet/get-inventory.ts';
import { GetOverview } from '../../../../src/application/fleet/get-overview.ts';
import { GetServer } from '../../../../src/application/fleet/get-server.ts';
import { GetServerHistory } from '../../../../src/application/fleet/get-server-history.ts';
import { GetSummary } from '../../../../src/application/fleet/get-summary.ts';
import { HostOpener } from '../../../../src/application/fleet/host-opener.ts';
import { ListServers } from '../../../../src/application/fleet/list-servers.ts';
import { ListUpdateCves } from '../../../../src/application/fleet/list-update-cves.ts';
import { ManageKeys } from '../../../../src/application/fleet/manage-keys.ts';
import { ManageTags } from '../../../../src/application/fleet/manage-tags.ts';
import { RefreshInventory } from '../../../../src/application/fleet/refresh-inventory.ts';
import {
  EditServer,
  RegisterServer,
  RemoveServer,
} from '../../../../src/application/fleet/register-server.ts';
import { SetFeatures } from '../../../../src/application/fleet/set-features.ts';
import { SurveyData } from '../../../../src/application/fleet/survey-data.ts';
import { JobRunners } from '../../../../src/application/jobs/runner.ts';
import { TriggerJob } from '../../../../src/application/jobs/trigger-job.ts';
import { JOB_TYPES } from '../../../../src/domain/jobs/job-types.ts';
import { FakeContainerEngine } from '../../../fakes/fake-container-engine.ts';
import { fakePreviews, idleOpener } from '../../../fakes/fake-exclusion-survey.ts';
import { FakeHostFacts } from '../../../fakes/fake-host-facts.ts';
import { FakeRemoteHosts } from '../../../fakes/fake-remote-hosts.ts';
import { FakeSourceChecks } from '../../../fakes/fake-source-checks.ts';
import { PlainSecretBox } from '../../../fakes/plain-secret-box.ts';
import type { ApplicationScene } from '../../../support/application-scene.ts';

const STALE_HOURS = 36;
const LOCAL = { kind: 'local', serverId: 1, serverName: 'web', become: 'none' } as const;

/** The use cases of pages about the fleet, over hosts in memory. Jobs are requested, and none runs. */
export function fleetParts(scene: ApplicationScene) {
  const hosts = new FakeRemoteHosts();
  const box = new PlainSecretBox();
  const { keys, inventories, notifications } = scene;
  const parts = { ...scene, hosts, box };
  const contacts = new ContactLog(scene);
  const opener = new HostOpener({ ...parts, contacts, agentSocket: null });
  const facts = new FakeHostFacts();
  const engine = new FakeContainerEngine();
  const checks = new FakeSourceChecks();
  const refresh = new RefreshInventory({
    ...parts,
    opener: opener,
    facts,
    recordHostState: { execute: async () => {} },
    osSupport: { endOf: async () => null },
  });
  const stale = { backupStaleHours: STALE_HOURS };
  const getSummary = new GetSummary({ ...parts, ...stale });
  const never = () => Promise.reject(new Error('nothing runs here'));
  const runners = new JobRunners([{ types: JOB_TYPES, timeLimitMs: 1_000, plan: never, apply: never }]);
  return {
    fixture: { hosts, facts, engine, notifications, inventories, keys, checks },
    settings: { ...stale, hasSshAgent: false },
    useCases: {
      getSummary,
      readContainerLog: new ReadContainerLog({
        ...parts,
        engine,
        opener: { open: () => hosts.connect(LOCAL) },
      }),
      getOverview: new GetOverview({ ...parts, ...stale, getSummary }),
      listServers: new ListServers({ ...parts, ...stale }),
      getServer: new GetServer(parts),
      getFleetDays: new GetFleetDays(parts),
      getServerHistory: new GetServerHistory(parts),
      getInventory: new GetInventory(parts),
      listUpdateCves: new ListUpdateCves(parts),
      listSnapshots: new ListSnapshots(parts),
      listNotifications: new ListNotifications(parts),
      manageAlerts: new ManageAlerts(parts),
      registerServer: new RegisterServer(parts),
      editServer: new EditServer(parts),
      manageTags: new ManageTags(parts),
      removeServer: new RemoveServer(parts),
      setFeatures: new SetFeatures(parts),
      manageKeys: new ManageKeys({ ...parts, keyMaker: new SshKeyMaker() }),
      scanHostKey: new ScanHostKey({ ...parts, opener }),
      confirmHostKey: new ConfirmHostKey(parts),
      surveyData: new SurveyData({ ...parts, opener }),
      checkServer: new CheckServer({ ...parts, opener: opener, refreshInventory: refresh }),
      manageSources: new ManageSources(parts),
      manageDumps: new ManageDumps(parts),
      checkSource: new CheckSource({
        ...parts,
        opener: idleOpener,
        sourceChecks: new SourceChecks({
          sourceHooks: checks.sourceHooks,
          sourceDumps: new SourceDumps({ ...parts, dumpClient: checks.dumpClient as never }),
        }),
      }),
      previewExclusions: new PreviewExclusions({ ...parts, ...fakePreviews(), opener: idleOpener }),
      manageRepositories: new ManageRepositories(parts),
      listSchedules: new ListSchedules(parts),
      listWindows: new ListWindows(parts),
      manageWindows: new ManageWindows(parts),
      patchPolicies: new PatchPolicies(parts),
      previewUpdates: new PreviewUpdates(parts),
      triggerJob: new TriggerJob({ ...parts, runners }),
    },
  };
}

export type FleetFixture = ReturnType<typeof fleetParts>['fixture'];
