import { beforeEach, expect, test } from 'vitest';
import { ManageSnapshots } from '../../../src/application/backups/manage-snapshots.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import type { Capability } from '../../../src/domain/access/scope.ts';
import type { BackupSource } from '../../../src/domain/backups/backup-source.ts';
import type { Snapshot } from '../../../src/domain/backups/snapshot.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { newSnapshot } from '../../support/stores-subject.ts';

const operator = Actor.operator('operator');
let scene: ApplicationScene;
let manage: ManageSnapshots;
let source: BackupSource;

beforeEach(async () => {
  scene = applicationScene();
  const server = await scene.addServer('one', { backup: true }, 'ssh');
  source = await scene.addSource(server.id, 'etc');
  manage = new ManageSnapshots(scene);
});

async function add(name: string, hours: number, outcome?: 'good' | 'damaged'): Promise<Snapshot> {
  const startedAt = scene.clock.now() - hours * 3_600_000;
  const { id } = await scene.snapshots.add(newSnapshot(source, name, { startedAt }));
  if (outcome) {
    const check = { at: scene.clock.now(), outcome, files: 1, bytes: 1, detail: null };
    await scene.snapshots.recordCheck(id, check);
  }
  const found = await scene.snapshots.find(id);
  if (!found) throw new Error('not added');
  return found;
}

const trail = async () => {
  const { items } = await scene.audit.list({}, { limit: 10, offset: 0 });
  return items.map(({ action, object }) => `${action} ${object}`);
};
const last = { confirmLast: true };
const careful = { confirmLast: false };

test('a pinned snapshot cannot be deleted before it is unpinned, and each step is audited once', async () => {
  await add('new', 1);
  const { id } = await add('old', 50);
  const pinned = await manage.pin(operator, id, true);
  expect(pinned.pinnedAt).toBe(scene.clock.now());
  await scene.clock.advance(1_000);
  expect((await manage.pin(operator, id, true)).pinnedAt).toBe(pinned.pinnedAt);
  await expectRefusal(manage.remove(operator, id, last), 'snapshot_protected');
  await manage.pin(operator, id, false);
  await manage.remove(operator, id, careful);
  const object = `snapshot:${id}`;
  expect((await trail()).toReversed()).toEqual(
    ['snapshot.pin', 'snapshot.unpin', 'snapshot.delete'].map((action) => `${action} ${object}`),
  );
  await expectRefusal(manage.pin(operator, id, true), 'snapshot_not_found');
});

test('the last good and the last verified snapshot of a source need a confirmation', async () => {
  const damaged = await add('damaged', 1, 'damaged');
  const verified = await add('verified', 20, 'good');
  const fresh = await add('fresh', 2);
  expect((await manage.loss(operator, damaged.id)).loss).toBeNull();
  expect((await manage.loss(operator, fresh.id)).loss).toBeNull();
  expect((await manage.loss(operator, verified.id)).loss).toBe('last_verified');
  await expectRefusal(manage.remove(operator, verified.id, careful), 'snapshot_protected');
  await manage.remove(operator, fresh.id, careful);
  expect((await manage.loss(operator, verified.id)).loss).toBe('last_good');
  await manage.remove(operator, verified.id, last);
  expect((await scene.servers.find(source.serverId))?.facts).toMatchObject({
    lastBackupAt: null,
    lastVerifiedAt: null,
  });
});

test('tokens need the scope, the feature, the server and no approval to pin, and never unpin or delete', async () => {
  const { id } = await add('one', 1);
  const pin = (actor: Actor) => manage.pin(actor, id, true);
  await expectRefusal(pin(tokenActor({ capabilities: ['read', 'jobs', 'files'] })), 'scope_missing');
  const capabilities: Capability[] = ['read', 'edit'];
  await expectRefusal(pin(tokenActor({ capabilities, features: ['os'] })), 'feature_not_allowed');
  await expectRefusal(pin(tokenActor({ capabilities, serverIds: new Set([999]) })), 'snapshot_not_found');
  await expectRefusal(pin(tokenActor({ capabilities, requireApproval: true })), 'approval_required');
  const token = tokenActor({ capabilities });
  await pin(token);
  await expectRefusal(manage.pin(token, id, false), 'role_missing');
  await expectRefusal(manage.remove(token, id, last), 'role_missing');
});
