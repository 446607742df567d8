import { beforeEach, describe, expect, test } from 'vitest';
import { PasskeyProofs } from '../../../src/application/access/passkey-proofs.ts';
import type { Visitor } from '../../../src/application/access/sessions.ts';
import type { PasskeyStore } from '../../../src/application/ports/access/passkey-store.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { MAX_PASSKEYS, type PasskeyReason, PasskeyRefusal } from '../../../src/domain/access/passkey.ts';
import { MINUTE, SECOND } from '../../../src/domain/base/instant.ts';
import { type AccountsScene, accountsScene, BROWSER, PASSWORD } from '../../support/accounts-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { SoftwareAuthenticator } from '../../support/software-authenticator.ts';

const ORIGIN = 'https://drover.example.org:8443';
const browser = { ...BROWSER, origin: ORIGIN };
const operator = Actor.operator('cli:root');
let scene: AccountsScene;
let key: SoftwareAuthenticator;
beforeEach(async () => {
  scene = accountsScene();
  await scene.setUp();
  key = new SoftwareAuthenticator(ORIGIN);
});

const resumed = async (secret: string): Promise<Visitor> => {
  const visitor = await scene.resumeSession.execute(secret, BROWSER.address, 'counts');
  if (visitor === null) throw new Error('The session is over.');
  return visitor;
};
const withPassword = async (name = 'root'): Promise<Visitor> =>
  resumed((await scene.signIn.execute({ name, password: PASSWORD }, BROWSER)).secret);
const add = async (visitor: Visitor, device = key, name = 'Laptop') => {
  const { challenge, userHandle } = await scene.ownPasskeys.start(visitor, ORIGIN);
  return scene.ownPasskeys.add(visitor, { name, answer: device.create(challenge, userHandle) }, ORIGIN);
};
/** Signs in with what `answer` makes of a new challenge. */
const signIn = async (answer: (challenge: string) => string, from = browser) => {
  const { request, secret } = await scene.passkeySignIn.start(from.origin);
  return scene.passkeySignIn.finish(secret, answer(request.challenge), from);
};
const refusedFor = async (work: Promise<unknown>, reason: PasskeyReason): Promise<void> => {
  const code = reason === 'counter_went_back' ? 'passkey_cloned' : 'passkey_refused';
  const refused = await expectRefusal(work, code);
  expect((refused as PasskeyRefusal).reason).toBe(reason);
};
const lastDetail = () => scene.kept.audit.at(-1)?.detail;
const invited = async (name: string): Promise<void> => {
  const { link } = await scene.manageUsers.invite(operator, { name, role: 'viewer' });
  await scene.takeUpLink.execute(link.secret, { name, password: PASSWORD }, BROWSER.address);
};

describe('A passkey', () => {
  test('is added with recovery codes, and signs in without a password, as two factors', async () => {
    const visitor = await withPassword();
    expect(await add(visitor)).toHaveLength(10);
    expect(await scene.ownPasskeys.list(visitor)).toMatchObject([
      { name: 'Laptop', rpId: 'drover.example.org', transports: ['usb'], counter: 0, lastUsedAt: null },
    ]);
    await scene.twoFactorPolicy.set(operator, 'everyone');
    const { secret, session } = await signIn((challenge) => key.use(challenge));
    expect(session).toMatchObject({ stage: 'full', hasTwoFactors: true, provider: null });
    const user = { name: 'root', passkeys: 1, hasTotp: false };
    expect(await resumed(secret)).toMatchObject({ mustSetUpTwoFactor: false, user });
    expect(scene.kept.actions).toEqual(
      expect.arrayContaining(['user.add_passkey user:1', 'session.start user:1']),
    );
    expect(lastDetail()).toMatchObject({ passkey: 1 });
    expect(await scene.ownPasskeys.list(visitor)).toMatchObject([
      { counter: 1, lastUsedAt: scene.clock.now() },
    ]);
  });

  test('is asked for after the password, and counts where two factors are required', async () => {
    const visitor = await withPassword();
    await add(visitor);
    await scene.twoFactorPolicy.set(visitor.actor, 'everyone');
    const waiting = await withPassword();
    expect(waiting.session.stage).toBe('code');
    const { challenge, allowed } = await scene.passkeySignIn.startCode(waiting, ORIGIN);
    expect(allowed).toMatchObject([{ credentialId: key.credentialId, transports: ['usb'] }]);
    const answer = key.use(challenge, { userHandle: null });
    const { secret, session } = await scene.passkeySignIn.finishCode(waiting, answer, browser);
    expect(session.stage).toBe('full');
    expect(await resumed(secret)).toMatchObject({ mustSetUpTwoFactor: false });
    expect(await scene.sessions.list(1)).not.toContainEqual(expect.objectContaining({ stage: 'code' }));
    await expectRefusal(scene.passkeySignIn.startCode(await resumed(secret), ORIGIN), 'not_signed_in');
  });

  test('leaves recovery codes good for one sign-in each', async () => {
    const codes = (await add(await withPassword())) ?? [];
    const signedIn = await scene.giveCode.execute(await withPassword(), codes[0] ?? '', BROWSER);
    expect(signedIn.session.stage).toBe('full');
    await expectRefusal(
      scene.giveCode.execute(await withPassword(), codes[0] ?? '', BROWSER),
      'sign_in_failed',
    );
  });

  test('confirms who uses a session, in place of the password', async () => {
    await add(await withPassword());
    const visitor = await resumed((await signIn((challenge) => key.use(challenge))).secret);
    await scene.clock.advance(11 * MINUTE);
    await expectRefusal(scene.ownAccount.renewRecoveryCodes(visitor), 'confirmation_needed');
    const { challenge } = await scene.passkeySignIn.startConfirm(visitor, ORIGIN);
    const renewed = await scene.passkeySignIn.finishConfirm(visitor, key.use(challenge), browser);
    expect(await scene.ownAccount.renewRecoveryCodes(await resumed(renewed))).toHaveLength(10);
  });

  test('is not added, renamed or removed without a recent confirmation', async () => {
    const visitor = await withPassword();
    await add(visitor);
    await scene.clock.advance(11 * MINUTE);
    await expectRefusal(scene.ownPasskeys.start(visitor, ORIGIN), 'confirmation_needed');
    await expectRefusal(
      scene.ownPasskeys.add(visitor, { name: 'x', answer: '{}' }, ORIGIN),
      'confirmation_needed',
    );
    await expectRefusal(scene.ownPasskeys.rename(visitor, 1, 'x'), 'confirmation_needed');
    await expectRefusal(scene.ownPasskeys.remove(visitor, 1), 'confirmation_needed');
  });

  test('is renamed and removed by its owner only; the recovery codes go with the last one', async () => {
    const visitor = await withPassword();
    await add(visitor);
    await invited('ann');
    const ann = await withPassword('ann');
    await expectRefusal(scene.ownPasskeys.rename(ann, 1, 'Mine'), 'passkey_not_found');
    await expectRefusal(scene.ownPasskeys.remove(ann, 1), 'passkey_not_found');
    await expectRefusal(scene.ownPasskeys.rename(visitor, 1, ' '), 'invalid_input');
    expect(await scene.ownPasskeys.rename(visitor, 1, ' Work laptop ')).toBe('Work laptop');
    const other = await signIn((challenge) => key.use(challenge));
    await scene.ownPasskeys.remove(visitor, 1);
    expect(await scene.users.countRecoveryCodes(1)).toBe(0);
    await expect(resumed(other.secret)).rejects.toThrow('over');
    await refusedFor(
      signIn((challenge) => key.use(challenge)),
      'passkey_unknown',
    );
    expect((await withPassword()).session.stage).toBe('full');
    expect(scene.kept.actions).toEqual(
      expect.arrayContaining(['user.rename_passkey user:1', 'user.remove_passkey user:1']),
    );
  });

  test('stays if it is the last one and the role requires two-factor authentication', async () => {
    const visitor = await withPassword();
    await add(visitor);
    await scene.twoFactorPolicy.set(operator, 'administrators');
    const now = { ...visitor, user: { ...visitor.user, passkeys: 1 } };
    await expectRefusal(scene.ownPasskeys.remove(now, 1), 'two_factor_required');
    await add(now, new SoftwareAuthenticator(ORIGIN), 'Phone');
    await scene.ownPasskeys.remove({ ...now, user: { ...now.user, passkeys: 2 } }, 1);
    expect(await scene.ownPasskeys.list(visitor)).toMatchObject([{ name: 'Phone' }]);
    expect(await scene.users.countRecoveryCodes(1)).toBe(10);
  });

  test('is removed by an administrator, with all of two-factor authentication', async () => {
    await add(await withPassword());
    await add(await withPasskeyCode(), new SoftwareAuthenticator(ORIGIN), 'Phone');
    const root = await scene.manageUsers.get(operator, 'root');
    expect(await scene.manageUsers.listPasskeys(operator, root)).toMatchObject([
      { id: 1, name: 'Laptop' },
      { id: 2, name: 'Phone' },
    ]);
    await scene.manageUsers.removePasskey(operator, root, 2);
    await expectRefusal(scene.manageUsers.removePasskey(operator, root, 2), 'passkey_not_found');
    expect(await scene.manageUsers.removeSecondFactor(operator, root)).toMatchObject({ passkeys: 0 });
    expect(await scene.manageUsers.listPasskeys(operator, root)).toEqual([]);
    expect((await withPassword()).session.stage).toBe('full');
  });

  test('exists ten times for a user at most, and once for each device', async () => {
    const visitor = await withPassword();
    for (let i = 0; i < MAX_PASSKEYS; i += 1)
      await add(visitor, new SoftwareAuthenticator(ORIGIN), `Key ${i}`);
    await expectRefusal(scene.ownPasskeys.start(visitor, ORIGIN), 'invalid_input');
    await invited('ann');
    const ann = await withPassword('ann');
    await add(ann);
    await refusedFor(add(ann), 'passkey_known');
  });
});

describe('An answer is refused', () => {
  beforeEach(async () => {
    await add(await withPassword());
  });

  test('a second time', async () => {
    const { request, secret } = await scene.passkeySignIn.start(ORIGIN);
    const answer = key.use(request.challenge);
    await scene.passkeySignIn.finish(secret, answer, browser);
    await refusedFor(scene.passkeySignIn.finish(secret, answer, browser), 'challenge_unknown');
    await refusedFor(scene.passkeySignIn.finish(null, answer, browser), 'challenge_unknown');
    const refused = {
      action: 'session.refuse_passkey',
      detail: { reason: 'challenge_unknown', purpose: 'sign_in' },
    };
    expect(scene.kept.audit.slice(-2)).toMatchObject([refused, refused]);
  });

  test('after five minutes', async () => {
    const { request, secret } = await scene.passkeySignIn.start(ORIGIN);
    await scene.clock.advance(5 * MINUTE + SECOND);
    const late = scene.passkeySignIn.finish(secret, key.use(request.challenge), browser);
    await refusedFor(late, 'challenge_unknown');
  });

  test('from a different browser, a different session, or for a different purpose', async () => {
    const { request } = await scene.passkeySignIn.start(ORIGIN);
    const other = await scene.passkeySignIn.start(ORIGIN);
    const answer = key.use(request.challenge);
    await refusedFor(scene.passkeySignIn.finish(other.secret, answer, browser), 'challenge_unknown');
    await refusedFor(scene.passkeySignIn.finish(null, answer, browser), 'challenge_unknown');
    const [first, second] = [await withPassword(), await withPassword()];
    const { challenge } = await scene.passkeySignIn.startCode(first, ORIGIN);
    await refusedFor(
      scene.passkeySignIn.finishCode(second, key.use(challenge), browser),
      'challenge_unknown',
    );
    const visitor = await withPasskeyCode();
    const creation = await scene.ownPasskeys.start(visitor, ORIGIN);
    await refusedFor(
      scene.passkeySignIn.finishConfirm(visitor, key.use(creation.challenge), browser),
      'challenge_unknown',
    );
  });

  test('made for another site', async () => {
    const refused: readonly [Parameters<SoftwareAuthenticator['use']>[1], PasskeyReason][] = [
      [{ origin: 'https://drover.example.org.evil.test' }, 'origin_differs'],
      [{ origin: 'https://drover.example.org' }, 'origin_differs'],
      [{ crossOrigin: true }, 'origin_differs'],
      [{ rpId: 'example.org' }, 'signature_invalid'],
    ];
    for (const [deviations, reason] of refused)
      await refusedFor(
        signIn((challenge) => key.use(challenge, deviations)),
        reason,
      );
    expect(lastDetail()).toEqual({ reason: 'signature_invalid', purpose: 'sign_in' });
  });

  test('that is forged, unverified, of the wrong type, or malformed', async () => {
    await refusedFor(
      signIn((challenge) => key.use(challenge, { isForged: true })),
      'signature_invalid',
    );
    await refusedFor(
      signIn((challenge) => key.use(challenge, { isUnverified: true })),
      'user_not_verified',
    );
    await refusedFor(
      signIn((challenge) => key.use(challenge, { type: 'webauthn.create' })),
      'signature_invalid',
    );
    await refusedFor(
      signIn(() => '{'),
      'answer_invalid',
    );
    await refusedFor(
      signIn((challenge) => key.use(challenge).replace('"public-key"', '1')),
      'answer_invalid',
    );
    const stranger = new SoftwareAuthenticator(ORIGIN);
    await refusedFor(
      signIn((challenge) => stranger.use(challenge)),
      'passkey_unknown',
    );
    expect(scene.kept.audit.at(-1)).toMatchObject({
      action: 'session.refuse_passkey',
      object: 'user:unknown',
      outcome: 'passkey_refused',
    });
  });

  test('that names another user, or at sign-in none', async () => {
    await refusedFor(
      signIn((challenge) => key.use(challenge, { userHandle: 'x' })),
      'passkey_unknown',
    );
    await refusedFor(
      signIn((challenge) => key.use(challenge, { userHandle: null })),
      'passkey_unknown',
    );
    await invited('ann');
    const ann = await withPassword('ann');
    await add(ann, new SoftwareAuthenticator(ORIGIN));
    const waiting = await withPassword('ann');
    const { challenge } = await scene.passkeySignIn.startCode(waiting, ORIGIN);
    await refusedFor(scene.passkeySignIn.finishCode(waiting, key.use(challenge), browser), 'passkey_unknown');
  });

  test('of a copy, whose counter is behind', async () => {
    await signIn((challenge) => key.use(challenge, { counter: 7 }));
    await refusedFor(
      signIn((challenge) => key.use(challenge, { counter: 7 })),
      'counter_went_back',
    );
    await refusedFor(
      signIn((challenge) => key.use(challenge, { counter: 0 })),
      'counter_went_back',
    );
    expect(scene.kept.audit.at(-1)).toMatchObject({ outcome: 'passkey_cloned', object: 'user:1' });
    expect(await signIn((challenge) => key.use(challenge, { counter: 8 }))).toMatchObject({
      user: { id: 1 },
    });
  });

  test('but not of one that never counts', async () => {
    for (let i = 0; i < 2; i += 1) await signIn((challenge) => key.use(challenge, { counter: 0 }));
  });

  test('of a disabled user, and of one whose provider decides', async () => {
    await invited('ann');
    const phone = new SoftwareAuthenticator(ORIGIN);
    await add(await withPassword('ann'), phone);
    const root = await scene.manageUsers.get(operator, 'root');
    await scene.requireSso.set(operator, 'root');
    await refusedFor(
      signIn((challenge) => phone.use(challenge)),
      'provider_decides',
    );
    expect(await signIn((challenge) => key.use(challenge))).toMatchObject({ user: { id: root.id } });
    await scene.requireSso.set(operator, null);
    await scene.manageUsers.disable(operator, await scene.manageUsers.get(operator, 'ann'));
    await refusedFor(
      signIn((challenge) => phone.use(challenge)),
      'account_disabled',
    );
  });

  test('too often from one address', async () => {
    const forged = () => signIn((challenge) => key.use(challenge, { isForged: true }));
    for (let i = 0; i < 6; i += 1) await refusedFor(forged(), 'signature_invalid');
    await expectRefusal(forged(), 'sign_in_throttled');
  });
});

describe('A new passkey is refused', () => {
  const added = async (deviations: Parameters<SoftwareAuthenticator['create']>[2]) => {
    const visitor = await withPassword();
    const { challenge, userHandle } = await scene.ownPasskeys.start(visitor, ORIGIN);
    const answer = key.create(challenge, userHandle, deviations);
    return scene.ownPasskeys.add(visitor, { name: 'x', answer }, ORIGIN);
  };

  test('from another site, or without verification of the user', async () => {
    await refusedFor(added({ origin: 'https://evil.test' }), 'origin_differs');
    await refusedFor(added({ rpId: 'evil.test' }), 'signature_invalid');
    await refusedFor(added({ isUnverified: true }), 'user_not_verified');
    await refusedFor(added({ type: 'webauthn.get' }), 'signature_invalid');
    expect(await scene.users.countRecoveryCodes(1)).toBe(0);
  });

  test('where browsers offer none', async () => {
    const visitor = await withPassword();
    for (const origin of ['http://drover.example.org', 'https://192.0.2.1:8443', 'https://[2001:db8::1]'])
      await refusedFor(scene.ownPasskeys.start(visitor, origin), 'unavailable');
    expect((await scene.ownPasskeys.start(visitor, 'http://localhost:8888')).party.id).toBe('localhost');
  });
});

test('Expired challenges leave room for new ones; others keep their place', async () => {
  const full = (freed: number) => {
    let room = 0;
    const passkeys = {
      addChallenge: async () => room > 0,
      forgetChallengesBefore: async (at: number) => {
        expect(at).toBe(scene.clock.now() - 5 * MINUTE);
        room += freed;
        return freed;
      },
    } as Partial<PasskeyStore> as PasskeyStore;
    return new PasskeyProofs({ ...scene, passkeys, publicUrl: ORIGIN });
  };
  const asked = { purpose: 'sign_in', boundTo: 'browser:x' } as const;
  expect(await full(1).ask(asked, ORIGIN)).toMatchObject({ party: { id: 'drover.example.org' } });
  await refusedFor(full(0).ask(asked, ORIGIN), 'throttled');
});

test('The public address decides which site passkeys belong to', async () => {
  scene = accountsScene(undefined, 'https://fleet.example.org');
  await scene.setUp();
  key = new SoftwareAuthenticator('https://fleet.example.org');
  await add(await withPassword());
  expect(await signIn((challenge) => key.use(challenge))).toMatchObject({ user: { id: 1 } });
  await refusedFor(
    signIn((challenge) => key.use(challenge, { origin: ORIGIN })),
    'origin_differs',
  );
});

/** A session that was confirmed with the passkey. */
async function withPasskeyCode(): Promise<Visitor> {
  const waiting = await withPassword();
  const { challenge } = await scene.passkeySignIn.startCode(waiting, ORIGIN);
  return resumed((await scene.passkeySignIn.finishCode(waiting, key.use(challenge), browser)).secret);
}
