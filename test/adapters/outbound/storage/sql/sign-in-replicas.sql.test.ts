import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { ScryptPasswordHasher } from '../../../../../src/adapters/outbound/system/scrypt-password-hasher.ts';
import { SystemRandomness } from '../../../../../src/adapters/outbound/system/system-randomness.ts';
import { KnownDevices } from '../../../../../src/application/access/known-devices.ts';
import { RequireSso } from '../../../../../src/application/access/require-sso.ts';
import { SignIn } from '../../../../../src/application/access/sign-in.ts';
import { SignInTries } from '../../../../../src/application/access/sign-in-tries.ts';
import { BROWSER, PASSWORD } from '../../../../support/accounts-scene.ts';
import { applicationScene } from '../../../../support/application-scene.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { type MakeDatabase, mariaDbDatabase, sqliteDatabase } from '../../../../support/databases.ts';
import { expectRefusal } from '../../../../support/expect-refusal.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import { AT, noRecord } from '../../../../support/stores-subject.ts';

const right = { name: 'root', password: PASSWORD };
const wrong = { name: 'root', password: 'not the password' };
const from = (address: string) => ({ ...BROWSER, address });

const hasher = new ScryptPasswordHasher({ logN: 4, r: 8, p: 1 });

/** Signing in through one replica. */
function signInOn(database: Database): SignIn {
  const { clock, digest } = applicationScene();
  const shared = { ...sqlStores(database), clock, digest, randomness: new SystemRandomness() };
  const devices = new KnownDevices({ ...shared, deviceStore: shared.devices });
  return new SignIn({
    ...shared,
    devices,
    tries: new SignInTries(shared),
    hasher,
    requireSso: new RequireSso(shared),
  });
}

async function setUp(database: Database): Promise<void> {
  const { users } = sqlStores(database);
  const root = { name: 'root', role: 'administrator', createdBy: 'test', createdAt: AT } as const;
  const { id } = await users.add(root, noRecord);
  await users.change(id, { passwordHash: await hasher.hash(PASSWORD) }, noRecord);
}

function replicas(makeDatabase: MakeDatabase): void {
  it('count failed sign-ins together, and know the same browsers', async () => {
    const { database, another, drop } = await makeDatabase();
    onTestFinished(drop);
    const [one, two] = [signInOn(database), signInOn(another())];
    await setUp(database);
    const { device } = await one.execute(right, BROWSER);
    const tries = [one, two].flatMap((signIn, i) =>
      Array.from({ length: 10 }, (_, n) => signIn.execute(wrong, from(`2001:db8:${i}${n}::1`))),
    );
    const codes = (await Promise.allSettled(tries)).map((each) =>
      each.status === 'rejected' ? each.reason.code : 'in',
    );
    expect(codes.filter((code) => code === 'sign_in_failed')).toHaveLength(11);
    for (const signIn of [one, two])
      await expectRefusal(signIn.execute(right, from('192.0.2.1')), 'sign_in_throttled');
    const again = await two.execute(right, { ...BROWSER, device });
    expect(again.session.deviceId).toBe(1);
    await expectRefusal(one.execute(right, { ...BROWSER, device }), 'sign_in_throttled');
    expect(await one.execute(right, { ...BROWSER, device: again.device })).toBeDefined();
  });

  it('share the counters of names that have no account', async () => {
    const { database, another, drop } = await makeDatabase();
    onTestFinished(drop);
    const [one, two] = [signInOn(database), signInOn(another())];
    for (let i = 0; i < 11; i += 1) {
      const signIn = i % 2 === 0 ? one : two;
      await expectRefusal(
        signIn.execute({ ...wrong, name: 'ghost' }, from(`192.0.2.${i}`)),
        'sign_in_failed',
      );
    }
    for (const signIn of [one, two]) {
      const ghost = { ...wrong, name: 'ghost' };
      await expectRefusal(signIn.execute(ghost, from('198.51.100.1')), 'sign_in_throttled');
    }
    const rows = await database.knex('sign_in_throttles').where('subject', 'like', 'unknown:%');
    expect(rows).toHaveLength(1);
  });
}

describe('two replicas on SQLite', () => replicas(sqliteDatabase));
describeWith('mariadb', 'two replicas on MariaDB', () => replicas(mariaDbDatabase));
