import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WebRoute } from '../../../../src/adapters/inbound/web/route.ts';
import { ManageWindows } from '../../../../src/application/automation/manage-windows.ts';
import { PatchPolicies } from '../../../../src/application/automation/patch-policies.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { ROLES, type Role } from '../../../../src/domain/access/role.ts';
import { HOUR } from '../../../../src/domain/base/instant.ts';
import { requestFor, Witness } from '../../../contracts/backup-engine.contract.ts';
import { FakeRemoteHosts } from '../../../fakes/fake-remote-hosts.ts';
import { BROWSER, PASSWORD } from '../../../support/accounts-scene.ts';
import { demoTemplate, newDeployment } from '../../../support/templates.ts';
import { ask, openWithAgent } from './approval-requests.ts';
import type { Answer, Visitor, WebFixture } from './web-fixture.ts';

/** Roles on the servers with the tag `own`; none of these users has a role on all servers. */
const HELD = ['none', 'viewer', 'operator', 'administrator'] as const;
type Held = (typeof HELD)[number];
const RANK: readonly string[] = ['none', 'code', 'viewer', 'operator', 'administrator'];
const suffices = (held: Held, needs: string): boolean => RANK.indexOf(held) >= RANK.indexOf(needs);

const OPERATOR = Actor.operator('cli:root');
/** In everything that belongs to the server without the tag, and in nothing else. */
const FOREIGN = 'zzforeign';

/** Ids of what belongs to a server, by the first part of a route's path. */
interface Things {
  readonly servers: number;
  readonly jobs: number;
  readonly snapshots: number;
  readonly approvals: number;
  readonly notifications: number;
  readonly schedules: number;
  readonly batches: number;
}

interface Setting {
  readonly fixture: WebFixture;
  readonly people: Record<Held, Visitor>;
  readonly own: Things;
}

async function populate(fixture: WebFixture, name: string, tag: string): Promise<Things> {
  const { scene, stock, work } = fixture;
  const { id } = await scene.addServer(name, { backup: true, os_patch: true, docker: true }, 'ssh');
  const change = { tags: [tag], jail: '/srv/compose', composeDirs: ['/srv/compose'] };
  await scene.servers.change(id, change, 0, () => ({}));
  const source = await scene.addSource(id);
  stock.engine.files.set('/etc/hosts', 'x');
  const request = requestFor(new FakeRemoteHosts().host(name).session(), source);
  const snapshot = await scene.snapshots.add(
    await stock.engine.backup({ ...request, startedAt: scene.clock.now() }, new Witness()),
  );
  const { job, at } = await ask(fixture, 'os_patch', null, { id, name });
  await scene.packages.save(id, 'debian:12', [
    { name: `${name}-server`, version: '1', source: name, sourceVersion: '1' },
  ]);
  const schedule = await work.manageSchedules.add(OPERATOR, {
    name: `${name}-nightly`,
    selector: { ids: [id] },
    cron: { expression: '0 3 * * *', timeZone: 'UTC' },
    jobType: 'os_update_check',
    params: {},
    bounds: {},
    jitterMs: 0,
    enabled: true,
  });
  const batch = await work.startBatch.execute(OPERATOR, {
    selector: { ids: [id] },
    jobType: 'os_update_check',
    bounds: {},
  });
  await new ManageWindows(scene).add(OPERATOR, {
    name: `${name}-window`,
    selector: { tags: [tag] },
    opens: { expression: '0 0 * * *', timeZone: 'UTC' },
    durationMs: 24 * HOUR,
  });
  await new PatchPolicies(scene).add(OPERATOR, { name: `${name}-policy`, selector: { tags: [tag] } });
  await scene.deployments.record(
    newDeployment(id, `/srv/compose/${name}`, { project: name }),
    () => '',
    () => ({}),
  );
  await scene.database.write((knex) =>
    knex('notifications').insert({
      kind: 'server.unreachable',
      subject_id: id,
      variant: '',
      state: 'open',
      severity: 'critical',
      muted: 0,
      title: `${name} is unreachable`,
      message: `${name} does not answer`,
      server_id: id,
      server_name: name,
      began_at: 1,
      opened_at: 1,
    }),
  );
  const [alert] = scene.kept.rows('SELECT MAX(id) AS id FROM notifications') as { id: number }[];
  return {
    servers: id,
    jobs: job.id,
    snapshots: snapshot.id,
    approvals: Number(at.split('/').at(-1)),
    notifications: alert?.id ?? 0,
    schedules: schedule.id,
    batches: batch.id,
  };
}

async function signedIn(fixture: WebFixture, held: Held): Promise<Visitor> {
  const { scene } = fixture;
  const { user, link } = await scene.manageUsers.invite(OPERATOR, { name: `by-tag-${held}`, role: 'none' });
  if (held !== 'none') await scene.manageUsers.setTagRole(OPERATOR, user, 'own', held);
  await scene.takeUpLink.execute(link.secret, { password: PASSWORD }, BROWSER.address);
  const visitor = fixture.browser();
  const answer = await visitor.post('/sign-in', { name: user.name, password: PASSWORD });
  if (answer.status !== 303) throw new Error(answer.text);
  return visitor;
}

async function settle(): Promise<Setting> {
  const fixture = await openWithAgent();
  const by = { createdBy: 'cli:root', at: fixture.scene.clock.now() };
  await fixture.scene.templates.save(demoTemplate(), by, () => ({}));
  const own = await populate(fixture, 'mine', 'own');
  const people = Object.fromEntries(
    await Promise.all(HELD.map(async (held) => [held, await signedIn(fixture, held)] as const)),
  ) as Record<Held, Visitor>;
  return { fixture, people, own };
}

let setting: Setting;
let foreign: Things;
/** The same without the other server. */
let twin: Setting;
beforeAll(async () => {
  [setting, twin] = await Promise.all([settle(), settle()]);
  foreign = await populate(setting.fixture, FOREIGN, 'other');
}, 300_000);
afterAll(() => Promise.all([setting, twin].map(({ fixture }) => fixture.close())));

/** Which thing `:id` is in a path; `null`: it is about no server. */
const kindOf = (path: string): keyof Things | null => {
  const [first = ''] = path
    .replace(/^\/live/, '')
    .split('/')
    .slice(1);
  const kinds: readonly string[] = Object.keys(foreign);
  return path.includes(':') && kinds.includes(first) ? (first as keyof Things) : null;
};

const pathOf = (path: string, id: number, things: Things): string =>
  path
    .replace(':id', String(id))
    .replace(':source', 'etc')
    .replace(':notification', String(things.notifications))
    .replace(':name', 'nobody')
    .replaceAll(/:\w+/g, '1');

const send = (visitor: Visitor, { method }: WebRoute, path: string): Promise<Answer> =>
  method === 'GET' ? visitor.get(path) : visitor.post(path);

const REFUSED = /<code>(?:role_missing|scope_missing)<\/code>|"code":"(?:role_missing|scope_missing)"/;

/** How a request ended as far as rights go. */
function verdictOf({ status, text, location }: Answer): 'signed out' | 'refused' | 'not found' | 'allowed' {
  if (status === 303 && location?.startsWith('/sign-in')) return 'signed out';
  if (status === 403 && REFUSED.test(text)) return 'refused';
  return status === 404 ? 'not found' : 'allowed';
}

/** They end the session, wait without end, or need a browser. */
const NOT_ASKED = [
  '/sign-out',
  '/jobs/:id/events',
  '/live/events',
  '/code',
  '/account',
  '/confirm',
  '/welcome',
];
const isAsked = ({ path, needs }: WebRoute): boolean =>
  needs !== 'nobody' && needs !== 'code' && !NOT_ASKED.some((start) => path.startsWith(start));

const routes = (): readonly WebRoute[] => setting.fixture.routes.filter(isAsked);

/** What a user may ask for that has no `:id` of a server's thing, beside reading. */
const ON_ANY_SERVER = /^\/(?:live\/)?(?:jobs|snapshots|approvals|batches|schedules|notifications)\b/;

describe('Users with a role by tag', () => {
  test('reach what belongs to their servers as their role allows, and nothing of other servers', async () => {
    const wrong: string[] = [];
    const tables = [
      'servers',
      'backup_sources',
      'snapshots',
      'jobs',
      'schedules',
      'notifications',
      'approvals',
    ];
    const rowsOf = (table: string) =>
      setting.fixture.scene.kept
        .rows(`SELECT * FROM ${table}`)
        .filter((row) => row['server_id'] === foreign.servers || JSON.stringify(row).includes(FOREIGN));
    const before = tables.map(rowsOf);
    expect(before.every((rows) => rows.length > 0)).toBe(true);
    for (const route of routes()) {
      const kind = kindOf(route.path);
      if (kind === null) continue;
      for (const held of HELD) {
        const visitor = setting.people[held];
        const mayAsk = suffices(held, route.needs);
        const note = (what: string, got: string, expected: string) => {
          if (got !== expected)
            wrong.push(`${held} ${route.method} ${route.path}: ${what} ${got}, not ${expected}`);
        };
        const theirs = await send(visitor, route, pathOf(route.path, foreign[kind], foreign));
        note('foreign is', verdictOf(theirs), kind === 'servers' || mayAsk ? 'not found' : 'refused');
        // What does not exist answers the same.
        if (held === 'administrator') {
          const missing = await send(visitor, route, pathOf(route.path, 999, foreign));
          note('missing is', verdictOf(missing), verdictOf(theirs));
        }
        if (theirs.text.includes(FOREIGN)) wrong.push(`${held} ${route.path} names the other server`);
      }
    }
    expect(wrong).toEqual([]);
    expect(tables.map(rowsOf)).toEqual(before);
  }, 600_000);

  test('are refused what is about all servers', async () => {
    const wrong: string[] = [];
    for (const route of routes()) {
      if (kindOf(route.path) !== null) continue;
      for (const held of HELD) {
        const asked = ON_ANY_SERVER.test(route.path) || route.needs === 'viewer';
        const expected = asked && suffices(held, route.needs) ? 'allowed' : 'refused';
        const verdict = verdictOf(
          await send(setting.people[held], route, pathOf(route.path, 1, setting.own)),
        );
        if (expected === 'refused' && verdict !== 'refused')
          wrong.push(`${held} ${route.method} ${route.path}: ${verdict}`);
        if (expected === 'allowed' && (verdict === 'refused' || verdict === 'signed out'))
          wrong.push(`${held} ${route.method} ${route.path}: ${verdict}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 600_000);

  test('see the same pages as if the other servers were not there', async () => {
    const wrong: string[] = [];
    for (const route of routes()) {
      if (route.method !== 'GET') continue;
      // Those who see the least and the most.
      for (const held of ['viewer', 'administrator'] as const) {
        const kind = kindOf(route.path);
        const path = pathOf(route.path, kind === null ? 1 : setting.own[kind], setting.own);
        const seen = await setting.people[held].get(path);
        const without = await twin.people[held].get(path);
        if (seen.text.includes(FOREIGN)) wrong.push(`${held} ${path} names the other server`);
        if (same(seen) !== same(without)) wrong.push(`${held} ${path} differs: ${difference(seen, without)}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 600_000);

  test('do on their own servers what their role allows', async () => {
    const wrong: string[] = [];
    for (const route of routes().toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)))) {
      const kind = kindOf(route.path);
      // A new key changes the address.
      if (kind === null || kind === 'batches' || route.path === '/servers/:id/setup/key') continue;
      for (const held of HELD) {
        const path = pathOf(route.path, setting.own[kind], setting.own);
        const verdict = verdictOf(await send(setting.people[held], route, path));
        const hidden = held === 'none' && kind === 'servers' ? 'not found' : 'refused';
        if (suffices(held, route.needs) ? verdict === 'refused' : verdict !== hidden)
          wrong.push(`${held} ${route.method} ${route.path}: ${verdict}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 600_000);
});

const isLast = ({ method, path }: WebRoute): boolean => method === 'POST' && /remove|delete/.test(path);

/** Without what differs between any two houses. */
const same = ({ status, text }: Answer): string =>
  `${status} ${text
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/data-push-form="[^"]*"/g, '')
    .replaceAll(/req_\w+|[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')}`;

function difference(one: Answer, other: Answer): string {
  const [a, b] = [same(one), same(other)];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return `${a.slice(Math.max(0, at - 60), at + 60)} / ${b.slice(Math.max(0, at - 60), at + 60)}`;
}

describe('A role by tag', () => {
  test.each(ROLES.map((role) => [role]))(
    '%s ends with the next request once it is removed',
    async (role: Role) => {
      const { scene } = setting.fixture;
      const visitor = setting.people[role];
      const user = await scene.manageUsers.get(OPERATOR, `by-tag-${role}`);
      await scene.manageUsers.setTagRole(OPERATOR, user, 'own', null);
      expect((await visitor.get('/servers')).status).toBe(403);
      await scene.manageUsers.setTagRole(OPERATOR, user, 'own', role);
      const again = await visitor.get('/servers');
      expect(again.status).toBe(200);
      // The tag is removed from the server.
      await scene.servers.change(setting.own.servers, { tags: [] }, 0, () => ({}));
      expect((await visitor.get('/servers')).text).not.toContain('/servers/1"');
      await scene.servers.change(setting.own.servers, { tags: ['own'] }, 0, () => ({}));
    },
    120_000,
  );
});
