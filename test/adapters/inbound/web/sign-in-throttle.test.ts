import { TOTP } from 'otpauth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { MAX_ADDRESSES, NAME_BUCKETS } from '../../../../src/domain/access/login-throttle.ts';
import { HOUR, MINUTE, SECOND } from '../../../../src/domain/base/instant.ts';
import { PASSWORD } from '../../../support/accounts-scene.ts';
import { type Answer, openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

const subjects = () =>
  fixture.scene.kept
    .rows<{ subject: string }>('SELECT subject FROM sign_in_throttles')
    .map(({ subject }) => subject);

const HOME = '198.51.100.7';
const ATTACKER = '203.0.113.66';
const operator = Actor.operator('cli:root');
let fixture: WebFixture;
beforeEach(async () => {
  fixture = await openWebFixture({ trustedProxies: ['127.0.0.0/8', '::1/128'] });
});
afterEach(() => fixture.close());

const from = (address: string) => ({ 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': address });
const signIn = (who: Visitor, address: string, password = PASSWORD, name = 'root'): Promise<Answer> =>
  who.post('/sign-in', { name, password }, from(address));
const guess = (address: string, name = 'root'): Promise<Answer> =>
  signIn(fixture.browser(), address, 'not the password', name);
const isThrottled = ({ status, text }: Answer): boolean =>
  status === 401 && text.includes('Too many failed attempts');

/** A browser that signed in as the owner before, and signed out. */
async function ownersBrowser(): Promise<Visitor> {
  const owner = fixture.browser();
  expect((await signIn(owner, HOME)).status).toBe(303);
  expect((await owner.post('/sign-out', {}, from(HOME))).status).toBe(303);
  expect(owner.cookie).toBe('');
  return owner;
}

describe('Failed sign-ins', () => {
  test('of one address lock no one out: neither the owner of the account nor a new browser', async () => {
    const owner = await ownersBrowser();
    for (let i = 0; i < 30; i += 1) {
      await guess(ATTACKER);
      await fixture.scene.clock.advance(20 * SECOND);
    }
    expect(isThrottled(await guess(ATTACKER))).toBe(true);
    expect((await signIn(fixture.browser(), '192.0.2.200')).status).toBe(303);
    expect((await signIn(owner, HOME)).status).toBe(303);
  });

  test('keep no browser out that signed in before, not even from the same address', async () => {
    const owner = await ownersBrowser();
    for (let i = 0; i < 40; i += 1) await guess(i % 2 === 0 ? `192.0.2.${i}` : HOME);
    expect(isThrottled(await guess(HOME))).toBe(true);
    expect(isThrottled(await signIn(fixture.browser(), '192.0.2.200'))).toBe(true);
    expect((await signIn(owner, HOME)).status).toBe(303);
    expect((await signIn(owner, '192.0.2.201')).status).toBe(303);
  });

  test('of a browser that signed in before make it wait, and no other', async () => {
    const [owner, other] = [await ownersBrowser(), await ownersBrowser()];
    for (let i = 0; i < 4; i += 1) await signIn(owner, HOME, 'not the password');
    expect(isThrottled(await signIn(owner, '192.0.2.9'))).toBe(true);
    expect((await signIn(other, HOME)).status).toBe(303);
    expect((await signIn(fixture.browser(), HOME)).status).toBe(303);
    await fixture.scene.clock.advance(SECOND);
    expect((await signIn(owner, HOME)).status).toBe(303);
  });

  test('of one IPv6 network count together', async () => {
    for (let i = 1; i <= 6; i += 1) {
      const answer = await guess(`2001:db8:1:2::${i}`, `guess${i}`);
      expect([answer.status, isThrottled(answer)]).toEqual([401, false]);
    }
    expect(isThrottled(await guess('2001:db8:1:2:ffff::1', 'guess7'))).toBe(true);
    expect(isThrottled(await guess('2001:db8:1:3::1', 'guess7'))).toBe(false);
    expect(subjects()).toContain('address:2001:db8:1:2::/64');
  });

  test('are counted by address before anything is counted against the account', async () => {
    for (let i = 0; i < 6; i += 1) await guess(ATTACKER, `guess${i}`);
    expect(isThrottled(await guess(ATTACKER))).toBe(true);
    expect(subjects()).not.toContain('account:root');
  });

  test('with 2,000 made-up names leave a bounded number of rows', async () => {
    for (let i = 0; i < 100; i += 1) await guess(`192.0.2.${i % 20}`, `name-${i}`);
    // The others without HTTP in between, which would take long.
    for (let i = 100; i < 2_000; i += 1) {
      const browser = { address: `2001:db8:${Math.floor(i / 5).toString(16)}::1`, agent: '', device: null };
      await fixture.scene.signIn
        .execute({ name: `name-${i}`, password: 'x' }, browser)
        .catch(() => undefined);
    }
    const counted = subjects();
    expect(counted.filter((subject) => subject.includes('name-'))).toEqual([]);
    expect(counted.filter((subject) => !subject.startsWith('address:')).length).toBeLessThanOrEqual(
      2 * NAME_BUCKETS,
    );
    await fixture.scene.clock.advance(2 * HOUR);
    await fixture.scene.forgetSignIns.execute(new AbortController().signal);
    expect(counted.length).toBeGreaterThan(0);
    expect(subjects()).toEqual([]);
  });

  test('of ever more addresses leave those that failed last', async () => {
    const { tries } = fixture.scene;
    for (let i = 0; i < MAX_ADDRESSES + 1_000; i += 1) {
      const address = `2001:db8:${i.toString(16)}::1`;
      await tries.countName('root', null, { address, deviceId: null }).catch(() => undefined);
    }
    const addresses = subjects().filter((subject) => subject.startsWith('address:'));
    expect(addresses.length).toBeLessThanOrEqual(MAX_ADDRESSES + 200);
    expect(addresses).toContain(`address:2001:db8:${(MAX_ADDRESSES + 999).toString(16)}::/64`);
  });

  test('are refused alike for names with and without an account', async () => {
    const seen = async (name: string): Promise<readonly string[]> => {
      const answers = [];
      for (let i = 0; i < 12; i += 1) {
        const { status, text } = await guess(`192.0.${name.length}.${i}`, name);
        answers.push(`${status} ${text.replaceAll(name, 'NAME')}`);
      }
      return answers;
    };
    expect(await seen('unknown')).toEqual(await seen('root'));
  });

  test('with codes keep no browser out that signed in before', async () => {
    const owner = fixture.browser();
    await signIn(owner, HOME);
    const secret =
      /name="secret" value="([A-Z2-7]+)"/.exec((await owner.get('/account/totp')).text)?.[1] ?? '';
    const code = () => new TOTP({ secret }).generate({ timestamp: fixture.scene.clock.now() });
    expect((await owner.post('/account/totp', { secret, code: code() })).status).toBe(200);
    await owner.post('/sign-out', {}, from(HOME));
    await fixture.scene.clock.advance(30 * SECOND);
    // An attacker has the password, and guesses codes.
    for (let i = 0; i < 20; i += 1) {
      const guesser = fixture.browser();
      await signIn(guesser, `192.0.2.${i}`);
      await guesser.post('/code', { code: '000000' }, from(`192.0.2.${i}`));
    }
    expect(isThrottled(await signIn(fixture.browser(), '192.0.2.100'))).toBe(true);
    expect((await signIn(owner, HOME)).location).toContain('/code');
    expect((await owner.post('/code', { code: '000000' }, from(HOME))).status).toBe(401);
    expect((await owner.post('/code', { code: code() }, from(HOME))).location).toBe('/');
  });

  test('with the password given again make one browser wait, and no other', async () => {
    const [left, owner] = [fixture.browser(), fixture.browser()];
    await signIn(left, HOME);
    await signIn(owner, HOME);
    await fixture.scene.clock.advance(11 * MINUTE);
    for (let i = 0; i < 4; i += 1) await left.post('/confirm', { password: 'no' }, from(HOME));
    expect(isThrottled(await left.post('/confirm', { password: PASSWORD }, from(HOME)))).toBe(true);
    expect((await owner.post('/confirm', { password: PASSWORD }, from(HOME))).location).toBe('/');
  });

  test('with invalid links make their address wait, and no valid link', async () => {
    const { link } = await fixture.scene.manageUsers.invite(operator, { name: 'ann', role: 'viewer' });
    const look = (secret: string) => fixture.browser().post('/welcome', { link: secret }, from(ATTACKER));
    for (let i = 0; i < 6; i += 1) expect((await look('A'.repeat(32))).text).not.toContain('too many');
    expect((await look('A'.repeat(32))).text).toContain('Too many failed attempts');
    expect((await look(link.secret)).text).toContain('Welcome, ann');
  });
});

describe('A browser that signed in before', () => {
  /** Whether it is let in although the account and its address have to wait. */
  async function isKnown(browser: Visitor, password = PASSWORD): Promise<boolean> {
    for (let i = 0; i < 60; i += 1) await guess(i % 2 === 0 ? `192.0.2.${i}` : HOME);
    return (await signIn(browser, HOME, password)).status === 303;
  }

  test('has a cookie that scripts cannot read, with another secret after each sign-in', async () => {
    const owner = fixture.browser();
    const [, set = ''] = (await signIn(owner, HOME)).headers.getSetCookie();
    expect(set).toMatch(
      /^__Host-drover-device=[A-Za-z0-9_-]{32}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const former = fixture.browser();
    former.device = owner.device;
    await signIn(owner, HOME);
    expect(owner.device).not.toBe(former.device);
    expect(await isKnown(former)).toBe(false);
    expect(await isKnown(owner)).toBe(true);
  });

  test('is known to the accounts that signed in with it, and to no other', async () => {
    const { link } = await fixture.scene.manageUsers.invite(operator, { name: 'ann', role: 'viewer' });
    await fixture.scene.takeUpLink.execute(link.secret, { password: PASSWORD }, HOME);
    const anns = fixture.browser();
    expect((await signIn(anns, HOME, PASSWORD, 'ann')).status).toBe(303);
    expect(await isKnown(anns)).toBe(false);
    await fixture.scene.clock.advance(2 * HOUR);
    const shared = await ownersBrowser();
    expect((await signIn(shared, '192.0.2.99', PASSWORD, 'ann')).status).toBe(303);
    expect(await isKnown(shared)).toBe(true);
  });

  test.each<readonly [what: string, end: () => Promise<unknown>, password: string]>([
    [
      'a new password by a link',
      async () => {
        const user = await fixture.scene.manageUsers.get(operator, 'root');
        const { secret } = await fixture.scene.manageUsers.offerLink(operator, user);
        await fixture.scene.takeUpLink.execute(secret, { password: `${PASSWORD}-2` }, HOME);
      },
      `${PASSWORD}-2`,
    ],
    [
      'a new password from another browser',
      async () => {
        const other = fixture.browser();
        await signIn(other, HOME);
        await other.post('/account/password', { password: `${PASSWORD}-2` });
        expect(other.device).not.toBe('');
      },
      `${PASSWORD}-2`,
    ],
    [
      'the end of all other sessions',
      async () => {
        const other = fixture.browser();
        await signIn(other, HOME);
        await other.post('/account/sessions/end-others');
      },
      PASSWORD,
    ],
    [
      'being disabled',
      async () => {
        const { link } = await fixture.scene.manageUsers.invite(operator, {
          name: 'second',
          role: 'administrator',
        });
        await fixture.scene.takeUpLink.execute(link.secret, { password: PASSWORD }, HOME);
        const root = await fixture.scene.manageUsers.get(operator, 'root');
        const { user } = await fixture.scene.manageUsers.disable(operator, root);
        await fixture.scene.manageUsers.enable(operator, user);
      },
      PASSWORD,
    ],
    ['half a year', () => fixture.scene.clock.advance(181 * 24 * HOUR), PASSWORD],
  ])('is unknown after %s', async (_, end, password) => {
    const owner = await ownersBrowser();
    await end();
    expect(await isKnown(owner, password)).toBe(false);
  });

  test('is unknown once its session was ended from another one', async () => {
    const [lost, owner] = [fixture.browser(), fixture.browser()];
    await signIn(lost, HOME);
    await signIn(owner, HOME);
    const id = /sessions\/(\d+)\/end"/.exec((await owner.get('/account')).text)?.[1];
    await owner.post(`/account/sessions/${id}/end`);
    expect(await isKnown(lost)).toBe(false);
  });
});
