import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ManageMasterKeys } from '../../../src/application/service/manage-master-keys.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { InMemoryKeyRing } from '../../fakes/in-memory-key-ring.ts';
import { InMemorySealedSecrets } from '../../fakes/in-memory-sealed-secrets.ts';
import { PlainSecretBox } from '../../fakes/plain-secret-box.ts';
import { tokenActor } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { type SceneDatabase, sceneDatabase } from '../../support/scene-database.ts';

const operator = Actor.operator('cli:root');
const PLACE = { table: 'ssh_keys', column: 'private_key', row: 1 };

let clock: FakeClock;
let stores: SceneDatabase;
let secrets: InMemorySealedSecrets;
let ring: InMemoryKeyRing;
let manage: ManageMasterKeys;

beforeEach(() => {
  clock = new FakeClock();
  stores = sceneDatabase(clock);
  secrets = new InMemorySealedSecrets();
  ring = new InMemoryKeyRing('new-new-', 'old-old-');
  const box = new PlainSecretBox('new-new-', 'old-old-');
  manage = new ManageMasterKeys({ ...stores, secrets, box, clock });
  secrets.all.push({ place: PLACE, sealed: new PlainSecretBox('old-old-').seal('hunter2', PLACE) });
});

/** Lets the clock run on until it is over. */
async function rotated(signal?: AbortSignal) {
  const rotating = manage.rotate(operator, signal ? { signal } : {});
  rotating.catch(() => undefined);
  for (let second = 0; second < 60; second += 1) await clock.advance(1_000);
  return rotating;
}
const beat = (owner: string, keyIds: readonly string[] | null): Promise<void> =>
  stores.replicas.beat({ owner, version: '1', startedAt: 0, keyIds });

describe('A rotation', () => {
  test('waits until each running service has the new key', async () => {
    await beat('slow', ['old-old-']);
    const rotating = manage.rotate(operator);
    await clock.advance(5_000);
    expect(await secrets.counts()).toEqual(new Map([['old-old-', 1]]));
    await beat('slow', ['new-new-', 'old-old-']);
    await clock.advance(10_000);
    expect(await rotating).toMatchObject({ rotated: 1, unreadable: 0 });
    expect(stores.kept.actions).toEqual(['master_key.rotate service']);
  });

  test.each([
    ['does not have it', ['old-old-']],
    ['is of an earlier version', null],
    ['still encrypts by the old one', ['old-old-', 'new-new-']],
  ])('changes nothing where a running service %s', async (_, keyIds) => {
    await beat('left-behind', keyIds);
    const rotating = expectRefusal(manage.rotate(operator), 'master_key_not_ready');
    for (let second = 0; second < 40; second += 1) {
      await clock.advance(1_000);
      await beat('left-behind', keyIds);
    }
    await rotating;
    expect(await secrets.counts()).toEqual(new Map([['old-old-', 1]]));
  });

  test('does not wait for one that is gone', async () => {
    await beat('gone', ['old-old-']);
    await clock.advance(61_000);
    expect(await rotated()).toMatchObject({ rotated: 1 });
  });

  test('includes secrets that are written by the old key while it runs', async () => {
    let isLate = true;
    vi.spyOn(secrets, 'notUnder').mockImplementation(async function* (keyId) {
      const found = secrets.all.filter(({ sealed }) => !sealed.startsWith(`v1.${keyId}.`));
      yield found;
      // Behind the last pass, such as an edit that started before the service had the new key.
      if (found.length > 0 || !isLate) return;
      isLate = false;
      secrets.all.push({ place: PLACE, sealed: new PlainSecretBox('old-old-').seal('late', PLACE) });
    });
    expect(await rotated()).toMatchObject({ rotated: 2 });
    expect(await secrets.counts()).toEqual(new Map([['new-new-', 2]]));
  });

  test('reports no success while something goes on writing by the old key', async () => {
    vi.spyOn(secrets, 'notUnder').mockImplementation(async function* () {
      yield secrets.all;
      secrets.all.push({ place: PLACE, sealed: new PlainSecretBox('old-old-').seal('again', PLACE) });
    });
    await expectRefusal(rotated(), 'master_key_not_ready');
    expect(stores.kept.actions).toEqual([]);
  });
});

describe('Retiring', () => {
  test('is refused while a secret or a running service uses the old key', async () => {
    await expectRefusal(manage.retire(operator, ring), 'master_key_not_ready');
    await rotated();
    await beat('late', ['old-old-', 'new-new-']);
    const retiring = expectRefusal(manage.retire(operator, ring), 'master_key_not_ready');
    for (let second = 0; second < 40; second += 1) {
      await clock.advance(1_000);
      await beat('late', ['old-old-', 'new-new-']);
    }
    await retiring;
    await beat('late', ['new-new-', 'old-old-']);
    expect(await manage.retire(operator, ring)).toEqual(['old-old-']);
    expect(await ring.ids()).toEqual(['new-new-']);
    expect(await manage.retire(operator, ring)).toEqual([]);
  });
});

test('No token may do any of it', async () => {
  const token = tokenActor();
  await expectRefusal(manage.status(token), 'role_missing');
  await expectRefusal(manage.create(token, ring), 'role_missing');
  await expectRefusal(manage.rotate(token), 'role_missing');
  await expectRefusal(manage.retire(token, ring), 'role_missing');
});
