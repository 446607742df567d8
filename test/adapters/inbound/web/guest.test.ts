import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoGuest, isSimulated } from '../../../../src/adapters/demo/demo-guest.ts';
import { onlyShown } from '../../../../src/adapters/demo/demo-hosts.ts';
import { openWebFixture, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
beforeAll(async () => {
  fixture = await openWebFixture({
    guest: {
      visitor: (address) => guest(address),
      admit: (path) => {
        if (!isSimulated(path)) throw onlyShown();
      },
      secret: null,
    },
  });
});
afterAll(() => fixture.close());

const guest = (address: string) =>
  demoGuest(
    {
      id: 1,
      name: 'guest',
      role: 'administrator',
      tagRoles: [],
      serverRoles: new Map(),
      hasPassword: false,
      hasTotp: false,
      passkeys: 0,
      issuer: null,
      createdBy: 'x',
      createdAt: 0,
      lastLoginAt: null,
      disabledAt: null,
    },
    address,
    fixture.scene.clock.now(),
  );

const ACTIONS = await (async () => {
  const once = await openWebFixture();
  await once.close();
  return once.routes.filter(({ method }) => method === 'POST').map(({ path }) => path);
})();

test('A guest is shown the pages without signing in', async () => {
  await fixture.scene.addServer('web');
  for (const path of ['/', '/servers', '/jobs', '/approvals', '/settings/tokens', '/audit', '/account']) {
    const { status, text } = await fixture.browser().get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(text).toContain('aria-label="Demo"');
    expect(text).not.toContain('Sign out');
  }
});

test('A signed-in user sees no demo notice', async () => {
  const own = await openWebFixture();
  try {
    const { text } = await (await own.signedIn('viewer')).get('/');
    expect(text).toContain('Sign out');
    expect(text).not.toContain('aria-label="Demo"');
  } finally {
    await own.close();
  }
});

test('Guests can try all but what concerns their account and session', () => {
  const refused = ACTIONS.filter((path) => !isSimulated(path));
  expect(new Set(refused.map((path) => path.split('/')[1]))).toEqual(
    new Set(['account', 'code', 'confirm', 'sign-in', 'sign-out', 'welcome']),
  );
});

test.each(ACTIONS.filter((path) => !isSimulated(path)))(
  'A guest sees that nothing is changed: POST %s',
  async (path) => {
    const before = fixture.scene.kept.audit.length;
    const answer = await fixture.browser().post(path.replace(':id', '1').replace(':name', 'root'));
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('The demo does not simulate this');
    expect(answer.text).toContain('aria-label="Main"');
    expect(fixture.scene.kept.audit).toHaveLength(before);
  },
);
