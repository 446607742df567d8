import { TOTP } from 'otpauth';
import { beforeEach, describe, expect, test } from 'vitest';
import { Actor } from '../../../src/domain/access/actor.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/base/instant.ts';
import { type AccountsScene, accountsScene, BROWSER, PASSWORD } from '../../support/accounts-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const operator = Actor.operator('cli:root');
const right = { name: 'root', password: PASSWORD };
const wrong = { name: 'root', password: 'not the password' };
let scene: AccountsScene;
beforeEach(async () => {
  scene = accountsScene();
  await scene.setUp();
});

const resume = (secret: string) => scene.resumeSession.execute(secret, BROWSER.address, 'counts');

describe('Signing in', () => {
  test('opens a session that stands for the person', async () => {
    const { secret, session } = await scene.signIn.execute({ ...right, name: ' ROOT ' }, BROWSER);
    expect(session).toMatchObject({ stage: 'full', address: BROWSER.address, agent: BROWSER.agent });
    const visitor = await resume(secret);
    expect(visitor?.actor).toMatchObject({ kind: 'user', name: 'root', role: 'administrator' });
    expect(scene.kept.actions).toContain('session.start user:1');
    expect(JSON.stringify([scene.kept.audit, session])).not.toContain(secret);
  });

  test('is refused in the same words whatever is wrong', async () => {
    await scene.manageUsers.invite(operator, { name: 'ann', role: 'viewer' });
    const refusals = [
      await scene.signIn.execute(wrong, BROWSER).catch(String),
      await scene.signIn.execute({ name: 'nobody', password: PASSWORD }, BROWSER).catch(String),
      await scene.signIn.execute({ name: 'ann', password: '' }, BROWSER).catch(String),
      await scene.signIn.execute({ name: 'root', password: 'x'.repeat(100_000) }, BROWSER).catch(String),
    ];
    expect(new Set(refusals)).toEqual(new Set(['DomainError: The name or the password is wrong.']));
  });

  test('leaves a trace of each failure that names no unknown name', async () => {
    await expectRefusal(scene.signIn.execute({ name: 'hunter2', password: 'x' }, BROWSER), 'sign_in_failed');
    const last = scene.kept.audit.at(-1);
    expect(last).toMatchObject({
      action: 'session.refuse',
      object: 'user:unknown',
      outcome: 'sign_in_failed',
    });
    expect(JSON.stringify(last)).not.toContain('hunter2');
  });

  test('waits longer after each failure of an account, from any address', async () => {
    const from = (i: number) => ({ ...BROWSER, address: `203.0.113.${i}` });
    for (let i = 0; i < 11; i += 1)
      await expectRefusal(scene.signIn.execute(wrong, from(i)), 'sign_in_failed');
    await expectRefusal(scene.signIn.execute(right, from(20)), 'sign_in_throttled');
    await scene.clock.advance(SECOND);
    await expectRefusal(scene.signIn.execute(wrong, from(21)), 'sign_in_failed');
    await scene.clock.advance(SECOND);
    await expectRefusal(scene.signIn.execute(right, from(22)), 'sign_in_throttled');
    await scene.clock.advance(SECOND);
    expect(await scene.signIn.execute(right, from(23))).toMatchObject({ session: { stage: 'full' } });
    await expectRefusal(scene.signIn.execute(wrong, from(24)), 'sign_in_failed');
    expect(await scene.signIn.execute(right, from(25))).toMatchObject({ session: { stage: 'full' } });
  });

  test('waits for an address that tries many names', async () => {
    const attempt = (i: number) => scene.signIn.execute({ name: `guess${i}`, password: 'x' }, BROWSER);
    for (let i = 0; i < 6; i += 1) await expectRefusal(attempt(i), 'sign_in_failed');
    await expectRefusal(attempt(6), 'sign_in_throttled');
    await expectRefusal(scene.signIn.execute(right, BROWSER), 'sign_in_throttled');
    expect(await scene.signIn.execute(right, { ...BROWSER, address: '198.51.100.1' })).toBeDefined();
  });

  test('leaves one entry for each wait in which more tries come', async () => {
    const refusals = (outcome: string) =>
      scene.kept.audit.filter((entry) => entry.outcome === outcome).length;
    for (let i = 0; i < 50; i += 1) await scene.signIn.execute(wrong, BROWSER).catch(() => undefined);
    expect([refusals('sign_in_failed'), refusals('sign_in_throttled')]).toEqual([6, 1]);
    await scene.clock.advance(SECOND);
    for (let i = 0; i < 50; i += 1) await scene.signIn.execute(wrong, BROWSER).catch(() => undefined);
    expect([refusals('sign_in_failed'), refusals('sign_in_throttled')]).toEqual([7, 2]);
  });

  test('counts tries at the same time one by one', async () => {
    const tries = await Promise.allSettled(
      Array.from({ length: 50 }, () => scene.signIn.execute(wrong, BROWSER)),
    );
    const codes = tries.map((each) => (each.status === 'rejected' ? each.reason.code : 'in'));
    expect(codes.filter((code) => code === 'sign_in_failed')).toHaveLength(6);
    expect(codes.filter((code) => code === 'sign_in_throttled')).toHaveLength(44);
  });
});

describe('A session', () => {
  test('is unknown by any other secret', async () => {
    const { secret } = await scene.signIn.execute(right, BROWSER);
    for (const guess of ['', 'x', secret.slice(0, -1), `${secret}=`, 'B'.repeat(32)]) {
      expect(await resume(guess)).toBeNull();
    }
  });

  test('ends twelve hours after its last use, and a week after its start', async () => {
    const { secret } = await scene.signIn.execute(right, BROWSER);
    await scene.clock.advance(12 * HOUR - 1);
    expect(await resume(secret)).not.toBeNull();
    await scene.clock.advance(12 * HOUR);
    expect(await resume(secret)).toBeNull();
    const other = (await scene.signIn.execute(right, BROWSER)).secret;
    for (let passed = 0; passed < 7 * DAY - 8 * HOUR; passed += 8 * HOUR) {
      await scene.clock.advance(8 * HOUR);
      expect(await resume(other)).not.toBeNull();
    }
    await scene.clock.advance(8 * HOUR);
    expect(await resume(other)).toBeNull();
  });

  test('ends when its user is disabled, and follows their role', async () => {
    const { user } = await scene.manageUsers.invite(operator, { name: 'ann', role: 'operator' });
    const { secret: link } = await scene.manageUsers.offerLink(operator, user);
    await scene.takeUpLink.execute(link, { password: PASSWORD }, BROWSER.address);
    const { secret } = await scene.signIn.execute({ name: 'ann', password: PASSWORD }, BROWSER);
    await scene.manageUsers.setRole(operator, user, 'viewer');
    expect((await resume(secret))?.actor.capabilities).toEqual(new Set(['read']));
    await scene.manageUsers.disable(operator, user);
    expect(await resume(secret)).toBeNull();
    await scene.manageUsers.enable(operator, user);
    expect(await resume(secret)).toBeNull();
  });

  test('is listed, ended, and ended with all others', async () => {
    const secrets: string[] = [];
    for (let i = 0; i < 3; i += 1) secrets.push((await scene.signIn.execute(right, BROWSER)).secret);
    const [first = '', second = '', third = ''] = secrets;
    const visitor = await resume(third);
    if (visitor === null) throw new Error('just signed in');
    const listed = await scene.manageSessions.list(visitor);
    expect(listed).toHaveLength(3);
    await scene.manageSessions.end(visitor, listed.find(({ id }) => id !== visitor.session.id)?.id ?? 0);
    expect(await scene.manageSessions.endOthers(visitor)).toBe(1);
    expect([await resume(first), await resume(second)]).toEqual([null, null]);
    expect(await resume(third)).not.toBeNull();
    await scene.manageSessions.end(visitor, visitor.session.id);
    expect(await resume(third)).toBeNull();
  });

  test('asks for the password again after ten minutes, and does not take many guesses', async () => {
    const { secret } = await scene.signIn.execute(right, BROWSER);
    const visitorOf = async (of: string) => (await resume(of)) ?? Promise.reject(new Error('over'));
    await scene.clock.advance(10 * MINUTE);
    const late = await visitorOf(secret);
    await expectRefusal(scene.ownAccount.renewRecoveryCodes(late), 'confirmation_needed');
    for (let i = 0; i < 4; i += 1)
      await expectRefusal(scene.confirmPassword.execute(late, 'no', BROWSER.address), 'sign_in_failed');
    await expectRefusal(scene.confirmPassword.execute(late, PASSWORD, BROWSER.address), 'sign_in_throttled');
    await expectRefusal(scene.confirmPassword.execute(late, 'no', BROWSER.address), 'sign_in_throttled');
    const refused = scene.kept.audit.filter(({ action }) => action === 'session.refuse_confirmation');
    expect(refused.map(({ object, outcome, address }) => [object, outcome, address])).toEqual([
      ...Array.from({ length: 4 }, () => ['user:1', 'sign_in_failed', BROWSER.address]),
      ['user:1', 'sign_in_throttled', BROWSER.address],
    ]);
    await scene.clock.advance(SECOND);
    const renewed = await scene.confirmPassword.execute(late, PASSWORD, BROWSER.address);
    // The same session, under a new secret.
    expect(await resume(secret)).toBeNull();
    const visitor = await visitorOf(renewed);
    expect(visitor.session.id).toBe(late.session.id);
    expect(await scene.ownAccount.renewRecoveryCodes(visitor)).toHaveLength(10);
  });

  test('is deleted once it is over, and failures an hour later', async () => {
    await scene.signIn.execute(right, BROWSER);
    await expectRefusal(scene.signIn.execute(wrong, BROWSER), 'sign_in_failed');
    await scene.clock.advance(13 * HOUR);
    await scene.forgetSignIns.execute(new AbortController().signal);
    expect(await scene.sessions.list(1)).toEqual([]);
    expect(await scene.throttles.forgetBefore(Number.MAX_SAFE_INTEGER, 10)).toBe(0);
  });
});

describe('Two-factor authentication', () => {
  const codeOf = (secret: string, at: number): string => new TOTP({ secret }).generate({ timestamp: at });

  /** Turns it on, and returns its secret and the recovery codes. */
  async function enable(): Promise<{ secret: string; recovery: readonly string[] }> {
    const visitor = await scene.visit();
    const { secret, uri } = scene.ownAccount.offerTotp(visitor);
    expect(uri).toMatch(/^otpauth:\/\/totp\/Drover:root\?/);
    await expectRefusal(scene.ownAccount.enableTotp(visitor, secret, '000000'), 'invalid_input');
    const recovery = await scene.ownAccount.enableTotp(visitor, secret, codeOf(secret, scene.clock.now()));
    await scene.clock.advance(30 * SECOND);
    return { secret, recovery };
  }

  async function firstStep() {
    const signedIn = await scene.signIn.execute(right, BROWSER);
    const visitor = await resume(signedIn.secret);
    if (visitor === null) throw new Error('The session is not there.');
    return { ...signedIn, visitor };
  }

  test('is asked for after the password, in a session that is none yet', async () => {
    const { secret } = await enable();
    const { visitor, secret: half } = await firstStep();
    expect(visitor.session.stage).toBe('code');
    await expectRefusal(scene.ownAccount.disableTotp(visitor), 'confirmation_needed');
    await expectRefusal(scene.giveCode.execute(visitor, '123456', BROWSER), 'sign_in_failed');
    const full = await scene.giveCode.execute(visitor, codeOf(secret, scene.clock.now()), BROWSER);
    expect(full.session.stage).toBe('full');
    expect(full.secret).not.toBe(half);
    expect(await resume(half)).toBeNull();
    expect(await resume(full.secret)).not.toBeNull();
  });

  test('is a code that is good once', async () => {
    const { secret } = await enable();
    const code = codeOf(secret, scene.clock.now());
    await scene.giveCode.execute((await firstStep()).visitor, code, BROWSER);
    await expectRefusal(scene.giveCode.execute((await firstStep()).visitor, code, BROWSER), 'sign_in_failed');
  });

  test('may be a recovery code, each once, however it is typed', async () => {
    const { recovery } = await enable();
    const [first = ''] = recovery;
    expect(new Set(recovery).size).toBe(10);
    const typed = first.toLowerCase().replaceAll('-', ' ');
    await scene.giveCode.execute((await firstStep()).visitor, typed, BROWSER);
    await expectRefusal(
      scene.giveCode.execute((await firstStep()).visitor, first, BROWSER),
      'sign_in_failed',
    );
    expect(await scene.users.countRecoveryCodes(1)).toBe(9);
  });

  test('is not guessed: tries are counted over sessions', async () => {
    await enable();
    const from = (i: number) => ({ ...BROWSER, address: `192.0.2.${i}` });
    for (let i = 0; i < 11; i += 1) {
      await expectRefusal(
        scene.giveCode.execute((await firstStep()).visitor, '123456', from(i)),
        'sign_in_failed',
      );
      await scene.throttles.clear('account:root');
    }
    const { visitor } = await firstStep();
    await expectRefusal(scene.giveCode.execute(visitor, '123456', from(20)), 'sign_in_throttled');
    const refused = scene.kept.audit.filter(({ action }) => action === 'session.refuse_code');
    expect(refused.map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 11 }, () => 'sign_in_failed'),
      'sign_in_throttled',
    ]);
    expect(JSON.stringify(refused)).not.toContain('123456');
  });

  test('waits five minutes for the code', async () => {
    const { secret } = await enable();
    const half = await firstStep();
    await scene.clock.advance(5 * MINUTE);
    expect(await resume(half.secret)).toBeNull();
    expect(codeOf(secret, scene.clock.now())).toMatch(/^\d{6}$/);
  });

  test('is taken off by an administrator, with its recovery codes', async () => {
    await enable();
    const user = await scene.manageUsers.get(operator, 'root');
    await scene.manageUsers.removeSecondFactor(operator, user);
    expect((await firstStep()).visitor.session.stage).toBe('full');
    expect(await scene.users.countRecoveryCodes(1)).toBe(0);
  });
});

describe('A new password', () => {
  test('ends all other sessions, and is held to the same rules', async () => {
    const other = await scene.signIn.execute(right, BROWSER);
    const visitor = await scene.visit();
    await expectRefusal(scene.ownAccount.changePassword(visitor, 'short'), 'invalid_input');
    await scene.ownAccount.changePassword(visitor, `${PASSWORD}-2`);
    expect(await resume(other.secret)).toBeNull();
    await expectRefusal(scene.signIn.execute(right, BROWSER), 'sign_in_failed');
    expect(await scene.signIn.execute({ name: 'root', password: `${PASSWORD}-2` }, BROWSER)).toBeDefined();
  });
});
