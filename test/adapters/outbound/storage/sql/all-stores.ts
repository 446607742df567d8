import { afterAll, describe } from 'vitest';
import { alertChannelStoreContract } from '../../../../contracts/alert-channel-store.contract.ts';
import { approvalStoreContract } from '../../../../contracts/approval-store.contract.ts';
import { approvalVotesContract } from '../../../../contracts/approval-votes.contract.ts';
import { auditLogContract } from '../../../../contracts/audit-log.contract.ts';
import { batchStoreContract } from '../../../../contracts/batch-store.contract.ts';
import { clockRecordContract } from '../../../../contracts/clock-record.contract.ts';
import { conditionWatchContract } from '../../../../contracts/condition-watch.contract.ts';
import { deliveryStoreContract } from '../../../../contracts/delivery-store.contract.ts';
import { deploymentStoreContract } from '../../../../contracts/deployment-store.contract.ts';
import { deviceStoreContract } from '../../../../contracts/device-store.contract.ts';
import { dumpStoreContract } from '../../../../contracts/dump-store.contract.ts';
import { fleetBackupsContract } from '../../../../contracts/fleet-backups.contract.ts';
import { gaugeSourceContract } from '../../../../contracts/gauge-source.contract.ts';
import { hostChangeStoreContract } from '../../../../contracts/host-change-store.contract.ts';
import { idempotencyStoreContract } from '../../../../contracts/idempotency-store.contract.ts';
import { inventoryStoreContract } from '../../../../contracts/inventory-store.contract.ts';
import { keyStoreContract } from '../../../../contracts/key-store.contract.ts';
import { leaseStoreContract } from '../../../../contracts/lease-store.contract.ts';
import { notificationStoreContract } from '../../../../contracts/notification-store.contract.ts';
import { passkeyStoreContract } from '../../../../contracts/passkey-store.contract.ts';
import { policyStoreContract } from '../../../../contracts/policy-store.contract.ts';
import { pushStoreContract } from '../../../../contracts/push-store.contract.ts';
import { replicaStoreContract } from '../../../../contracts/replica-store.contract.ts';
import { repositoryStoreContract } from '../../../../contracts/repository-store.contract.ts';
import { scheduleStoreContract } from '../../../../contracts/schedule-store.contract.ts';
import { serverSelectionContract } from '../../../../contracts/server-selection.contract.ts';
import { serverStoreContract } from '../../../../contracts/server-store.contract.ts';
import { serviceStoreContract } from '../../../../contracts/service-store.contract.ts';
import { sessionStoreContract } from '../../../../contracts/session-store.contract.ts';
import { settingStoreContract } from '../../../../contracts/setting-store.contract.ts';
import { snapshotStoreContract } from '../../../../contracts/snapshot-store.contract.ts';
import { sourceStoreContract } from '../../../../contracts/source-store.contract.ts';
import { ssoStoreContract } from '../../../../contracts/sso-store.contract.ts';
import { templateStoreContract } from '../../../../contracts/template-store.contract.ts';
import { throttleStoreContract } from '../../../../contracts/throttle-store.contract.ts';
import { tokenStoreContract } from '../../../../contracts/token-store.contract.ts';
import { userStoreContract } from '../../../../contracts/user-store.contract.ts';
import { webhookStoreContract } from '../../../../contracts/webhook-store.contract.ts';
import { windowStoreContract } from '../../../../contracts/window-store.contract.ts';
import { empty, type MakeDatabase, type TestDatabase } from '../../../../support/databases.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import type { MakeStores } from '../../../../support/stores-subject.ts';

export function allStoreContracts(name: string, makeStores: MakeStores): void {
  alertChannelStoreContract(name, makeStores);
  approvalStoreContract(name, makeStores);
  approvalVotesContract(name, makeStores);
  auditLogContract(name, makeStores);
  batchStoreContract(name, makeStores);
  clockRecordContract(name, makeStores);
  deploymentStoreContract(name, makeStores);
  deviceStoreContract(name, makeStores);
  gaugeSourceContract(name, makeStores);
  idempotencyStoreContract(name, makeStores);
  inventoryStoreContract(name, makeStores);
  keyStoreContract(name, makeStores);
  leaseStoreContract(name, makeStores);
  replicaStoreContract(name, makeStores);
  repositoryStoreContract(name, makeStores);
  scheduleStoreContract(name, makeStores);
  serverSelectionContract(name, makeStores);
  serverStoreContract(name, makeStores);
  hostChangeStoreContract(name, makeStores);
  serviceStoreContract(name, makeStores);
  sessionStoreContract(name, makeStores);
  settingStoreContract(name, makeStores);
  snapshotStoreContract(name, makeStores);
  fleetBackupsContract(name, makeStores);
  sourceStoreContract(name, makeStores);
  ssoStoreContract(name, makeStores);
  passkeyStoreContract(name, makeStores);
  dumpStoreContract(name, makeStores);
  templateStoreContract(name, makeStores);
  throttleStoreContract(name, makeStores);
  tokenStoreContract(name, makeStores);
  userStoreContract(name, makeStores);
  conditionWatchContract(name, makeStores);
  deliveryStoreContract(name, makeStores);
  notificationStoreContract(name, makeStores);
  pushStoreContract(name, makeStores);
  webhookStoreContract(name, makeStores);
  windowStoreContract(name, makeStores);
  policyStoreContract(name, makeStores);
}

/** The contracts over one database, emptied before each test. */
export function allSqlStoreContracts(name: string, makeDatabase: MakeDatabase): void {
  describe(name, () => {
    let opened: Promise<TestDatabase> | undefined;
    afterAll(async () => (await opened)?.drop());
    allStoreContracts(name, async () => {
      const { database } = await (opened ??= makeDatabase());
      await empty(database);
      return sqlStores(database);
    });
  });
}
