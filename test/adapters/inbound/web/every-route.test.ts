import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../../../src/domain/access/role.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let people: Record<Role, Visitor>;
beforeAll(async () => {
  fixture = await openWebFixture();
  people = {
    administrator: await fixture.signedIn('administrator'),
    operator: await fixture.signedIn('operator'),
    viewer: await fixture.signedIn('viewer'),
  };
});
afterAll(() => fixture.close());

const ROLES = ['viewer', 'operator', 'administrator'] as const;
const pathOf = (pattern: string): string => pattern.replace(':id', '1').replace(':name', 'root');
const routes = async () => (await openOnce()).routes;

/** The table of routes is the same in every fixture. */
let opened: Promise<WebFixture> | undefined;
const openOnce = (): Promise<WebFixture> => (opened ??= openWebFixture());
afterAll(async () => (await opened)?.close());

const ALL = await routes();
const ACTIONS = ALL.filter(({ method }) => method === 'POST');
const GUARDED = ALL.filter(({ needs }) => needs !== 'nobody');

describe('Every route', () => {
  test('has a page or action in the test', () => {
    const places = ALL.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(places).size).toBe(places.length);
    expect(ACTIONS.length).toBeGreaterThan(15);
  });

  test.each(GUARDED.map(({ method, path }) => [method, path]))(
    '%s %s leads signed-out users no further than to the sign-in',
    async (method, path) => {
      const stranger = fixture.browser();
      stranger.cookie = `__Host-drover=${'A'.repeat(32)}`;
      const answer = await (method === 'GET' ? stranger.get(pathOf(path)) : stranger.post(pathOf(path)));
      expect([answer.status, answer.location?.split('?')[0]]).toEqual([303, '/sign-in']);
    },
  );

  test.each(
    GUARDED.flatMap((route) =>
      ROLES.slice(0, Math.max(0, ROLES.indexOf(route.needs as Role))).map(
        (role) => [route.method, route.path, role] as const,
      ),
    ),
  )('%s %s refuses a %s', async (method, path, role) => {
    const answer = await (method === 'GET'
      ? people[role].get(pathOf(path))
      : people[role].post(pathOf(path)));
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('role_missing');
  });
});

describe('Every action', () => {
  test.each(
    ACTIONS.flatMap(({ path }) => [
      [path, { 'Sec-Fetch-Site': 'cross-site' }] as const,
      [path, { 'Sec-Fetch-Site': 'same-site' }] as const,
      [path, { 'Sec-Fetch-Site': 'none' }] as const,
      [path, { Origin: 'https://evil.example' }] as const,
      [path, { Origin: 'null' }] as const,
      [path, {}] as const,
    ]),
  )('POST %s refuses a form from elsewhere: %j', async (path, headers) => {
    const answer = await people.administrator.post(pathOf(path), {}, headers);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('origin_not_allowed');
  });

  test('is accepted by its origin if the browser says no more: the host asked, or the public address', async () => {
    for (const origin of [fixture.base, 'https://drover.example.org:8443']) {
      const answer = await people.viewer.post('/sign-in', { name: 'x', password: 'y' }, { Origin: origin });
      expect(answer.status).toBe(401);
    }
  });

  test('takes forms of a browser alone, and no more than fits', async () => {
    const { cookie } = people.administrator;
    const send = (body: string, type: string) =>
      fetch(`${fixture.base}/sign-in`, {
        method: 'POST',
        headers: { Cookie: cookie, 'Content-Type': type, 'Sec-Fetch-Site': 'same-origin' },
        body,
      });
    expect((await send('{}', 'application/json')).status).toBe(415);
    const form = 'application/x-www-form-urlencoded';
    expect((await send(`name=${'x'.repeat(1024 * 1024)}`, form)).status).toBe(413);
  });
});

describe('What asks for the password again', () => {
  const asking = ALL.filter((route) => 'confirm' in route);
  test.each(asking.map((route) => [route.method, route.path, 'takes' in route] as const))(
    '%s %s does so once it was given ten minutes ago',
    async (method, path, takesFile) => {
      const late = await openWebFixture();
      try {
        const root = await late.signedIn('administrator');
        await late.scene.clock.advance(600_000);
        const answer = await (method === 'GET' ? root.get(pathOf(path)) : root.post(pathOf(path)));
        if (method === 'GET' || takesFile)
          expect([answer.status, answer.location?.split('?')[0]]).toEqual([303, '/confirm']);
        else expect([answer.status, answer.text.includes('name="drover_password"')]).toEqual([403, true]);
      } finally {
        await late.close();
      }
    },
  );
});
