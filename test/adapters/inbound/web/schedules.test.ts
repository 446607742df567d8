import { afterEach, describe, expect, test } from 'vitest';
import { viaSchedule } from '../../../../src/domain/access/requester.ts';
import { HOUR, MINUTE } from '../../../../src/domain/base/instant.ts';
import { requestJob } from '../../../../src/domain/jobs/job.ts';
import { PASSWORD } from '../../../support/accounts-scene.ts';
import { bareTimes } from '../../../support/bare-times.ts';
import { openWebFixture, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture.close());

async function open() {
  fixture = await openWebFixture();
  const server = await fixture.scene.addServer('web', { backup: true, os_patch: true });
  await fixture.scene.addSource(server.id);
  return { scene: fixture.scene, server, operator: await fixture.signedIn('operator') };
}

const NIGHTLY = {
  type: 'backup',
  name: 'nightly',
  cron: '30 2 * * *',
  time_zone: 'Europe/Berlin',
  selector: 'ids',
  servers: 'web',
  tags: '',
  max_parallel: '10',
  canary: '0',
  stop_after_failures: '',
  jitter: '5',
};

describe('Several schedules', () => {
  test('are disabled and enabled at once, each with its entry in the audit log', async () => {
    const { operator, scene } = await open();
    for (const name of ['one', 'two', 'three']) await operator.post('/schedules/new', { ...NIGHTLY, name });
    await operator.post('/schedules/3/disable');
    const { text } = await operator.get('/schedules');
    expect(text.match(/name="ids"[^>]* form="bulk-schedules"/g)).toHaveLength(3);
    const on = async () => {
      const all = await Promise.all([1, 2, 3].map((id) => scene.schedules.find(id)));
      return all.map((schedule) => schedule?.enabled);
    };
    const disabled = await operator.post('/schedules/bulk', { action: 'disable', ids: ['1', '2', '3'] });
    expect([disabled.status, disabled.location]).toEqual([303, '/schedules']);
    expect(await on()).toEqual([false, false, false]);
    expect((await operator.get('/schedules')).text).toContain('3 schedules disabled');
    const entries = await scene.audit.list({ action: 'schedule.edit' }, { limit: 10, offset: 0 });
    expect(entries.items.map(({ object }) => object).toSorted()).toEqual([
      'schedule:1',
      'schedule:2',
      'schedule:3',
    ]);
    await operator.post('/schedules/bulk', { action: 'enable', ids: ['1'] });
    expect(await on()).toEqual([true, false, false]);
    expect((await operator.post('/schedules/bulk', { action: 'run', ids: ['1'] })).status).toBe(422);
    const viewer = await fixture.signedIn('viewer');
    expect((await viewer.post('/schedules/bulk', { action: 'disable', ids: ['1'] })).status).toBe(403);
    expect((await viewer.get('/schedules')).text).not.toContain('name="ids"');
    expect(await on()).toEqual([true, false, false]);
  });
});

test('Schedules that may change the machine of the service ask for the password, as each one does', async () => {
  const { scene } = await open();
  const administrator = await fixture.signedIn('administrator');
  const deploy = {
    ...NIGHTLY,
    type: 'docker_stack_deploy',
    source_filter: '/srv/compose/app',
    selector: 'all',
  };
  await administrator.post('/schedules/new', { ...NIGHTLY, name: 'one' });
  expect((await administrator.post('/schedules/new', deploy)).location).toBe('/schedules/2');
  await administrator.post('/schedules/bulk', { action: 'disable', ids: ['1', '2'] });
  await scene.clock.advance(11 * MINUTE);
  const enable = { action: 'enable', ids: ['1', '2'] };
  const held = await administrator.post('/schedules/bulk', enable);
  expect([held.status, held.text.includes('name="ids" value="2"')]).toEqual([403, true]);
  expect((await scene.schedules.find(2))?.enabled).toBe(false);
  const done = await administrator.post('/schedules/bulk', { ...enable, drover_password: PASSWORD });
  expect(done.location).toBe('/schedules');
  expect((await scene.schedules.find(2))?.enabled).toBe(true);
});

describe('A schedule', () => {
  test('is listed in the time zone of the reader, which the week names', async () => {
    const { operator } = await open();
    await operator.post('/schedules/new', NIGHTLY);
    expect((await operator.get('/schedules')).text).toContain('>every day at 02:30 (Europe/Berlin)<');
    const list = async (zone: string) =>
      (await operator.get('/schedules', { Cookie: `${operator.cookie}; drover-zone=${zone}` })).text;
    expect(await list('Europe/London')).toContain('>every day at 01:30<');
    expect(await list('Europe/Berlin')).toContain('>every day at 02:30<');
    expect(await list('Europe/London')).toContain('times in Europe/London');
    // The day before there.
    expect(await list('America/New_York')).toContain('>every day at 02:30 (Europe/Berlin)<');
    // Phones have no column for the next time.
    expect(await list('Europe/London')).toMatch(/<span class="phone"> · next in \d+ \w+<\/span>/);
    await operator.post('/schedules/1/disable');
    const disabled = await list('Europe/London');
    expect(disabled).toContain('>every day at 01:30<');
    expect(disabled).toMatch(/<span class="phone"> · disabled<\/span>/);
  });

  test('is created, shown with its next times, changed, switched and deleted', async () => {
    const { operator, scene } = await open();
    const kinds = await operator.get('/schedules/new');
    expect(kinds.text).toContain('Back up');
    expect(kinds.text).not.toContain('value="template_deploy"');
    expect(kinds.text).toContain('name="cron"');
    const other = await operator.get('/schedules/new?type=os_patch&name=weekly&fields_of=backup');
    expect(other.text).toContain('name="os_steps"');
    expect(other.text).toContain('value="weekly"');
    const changed = await operator.post('/schedules/new', {
      ...NIGHTLY,
      type: 'os_patch',
      fields_of: 'backup',
    });
    expect([changed.status, changed.location]).toEqual([200, null]);
    expect(changed.text).toContain('name="os_steps"');
    expect((await operator.post('/schedules/new', NIGHTLY)).location).toBe('/schedules/1');
    expect(await scene.schedules.find(1)).toMatchObject({
      name: 'nightly',
      jobType: 'backup',
      selector: { by: 'ids', ids: [1] },
      cron: { expression: '30 2 * * *', timeZone: 'Europe/Berlin' },
      jitterMs: 300_000,
      enabled: true,
    });
    const { text } = await operator.get('/schedules/1');
    expect(text.match(/<li><time/g)).toHaveLength(5);
    expect(text).toContain('in Europe/Berlin');
    const form = await operator.get('/schedules/1/edit');
    expect(form.text).toContain('value="web"');
    // A bar of the week and the legend.
    expect(
      (await operator.get('/schedules')).text.match(/<a href="\/schedules\/1"/g)?.length,
    ).toBeGreaterThan(2);
    expect(form.text).toContain('value="30 2 * * *"');
    const change = { ...NIGHTLY, cron: '0 4 * * *', selector: 'tags', tags: 'eu, west' };
    expect((await operator.post('/schedules/1/edit', change)).location).toBe('/schedules/1');
    expect(await scene.schedules.find(1)).toMatchObject({
      selector: { by: 'tags', tags: ['eu', 'west'] },
      cron: { expression: '0 4 * * *' },
    });
    await operator.post('/schedules/1/disable');
    expect((await operator.get('/schedules')).text).toContain('disabled');
    await operator.post('/schedules/1/enable');
    expect((await scene.schedules.find(1))?.enabled).toBe(true);
    expect((await operator.post('/schedules/1/remove')).location).toBe('/schedules');
    expect((await operator.get('/schedules')).text).toContain('No schedules yet');
    expect((await operator.get('/schedules/1')).status).toBe(404);
    expect((await operator.get('/schedules/x')).status).toBe(404);
  });

  test('with the name of another marks that field', async () => {
    const { operator } = await open();
    await operator.post('/schedules/new', NIGHTLY);
    const taken = await operator.post('/schedules/new', NIGHTLY);
    expect([taken.status, taken.location]).toEqual([422, null]);
    expect(taken.text).toMatch(/<input[^>]*name="name"[^>]*aria-invalid/);
    expect(taken.text).toContain('href="#at/name"');
  });

  test('is linked by the jobs that it starts', async () => {
    const { operator, scene, server } = await open();
    await operator.post('/schedules/new', NIGHTLY);
    const params = { sourceFilter: null, service: null, osSteps: null, dryRun: false };
    for (const [type, name] of [
      ['backup', 'nightly'],
      ['retention', 'gone'],
    ] as const)
      await scene.jobs.enqueue(
        requestJob({
          server,
          type,
          params,
          requestedBy: viaSchedule(name),
          scheduled: true,
          approval: null,
          at: scene.clock.now(),
        }),
        () => ({}),
      );
    expect((await operator.get('/jobs/1')).text).toContain('by schedule <a href="/schedules/1">nightly</a>');
    expect((await operator.get('/jobs/2')).text).not.toContain('by schedule');
  });

  test('is counted in a list of several pages', async () => {
    const { operator } = await open();
    for (let each = 1; each <= 51; each += 1)
      await operator.post('/schedules/new', { ...NIGHTLY, name: `nightly-${each}` });
    await operator.post('/schedules/1/disable');
    const { text } = await operator.get('/schedules');
    expect(text).toContain('51 schedules');
    expect(text).not.toContain('1 disabled');
  });

  test('that is invalid is asked for again, with what was typed and the errors', async () => {
    const { operator } = await open();
    const wrong = async (over: Record<string, string>) => {
      const answer = await operator.post('/schedules/new', { ...NIGHTLY, ...over });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain('value="nightly"');
      return answer.text;
    };
    expect(await wrong({ time_zone: 'Mars/Base' })).toContain('There is no such time zone.');
    expect(await wrong({ servers: 'nobody' })).toContain('There is no server named nobody.');
    expect(await wrong({ max_parallel: 'many' })).toContain('Enter a whole number.');
    expect(await wrong({ canary: '101' })).toContain('Enter a whole number from 0 to 100.');
    expect(await wrong({ selector: 'tags', tags: ' ' })).toContain('Name 1 to 20 tags.');
    const nowhere = await operator.post('/schedules/new', { ...NIGHTLY, servers: '99' });
    expect(nowhere.status).toBe(404);
    expect(nowhere.text).toContain('value="99"');
  });

  test('deploys a template again where it says which directory', async () => {
    const { operator, scene } = await open();
    const form = await operator.get('/schedules/new?type=template_redeploy');
    expect(form.text).toContain('name="source_filter"');
    const again = { ...NIGHTLY, type: 'template_redeploy', source_filter: '' };
    const refused = await operator.post('/schedules/new', again);
    expect(refused.text).toContain('template_redeploy needs the directory of a Compose project.');
    const { location } = await operator.post('/schedules/new', {
      ...again,
      source_filter: '/srv/stacks/demo',
    });
    expect(location).toBe('/schedules/1');
    expect((await scene.schedules.find(1))?.params.sourceFilter).toBe('/srv/stacks/demo');
  });

  test('can be started now, and leads to the job', async () => {
    const { operator } = await open();
    await operator.post('/schedules/new', NIGHTLY);
    expect((await operator.post('/schedules/1/run')).location).toBe('/jobs/1');
    const again = await operator.post('/schedules/1/run');
    expect([again.status, again.location]).toEqual([409, null]);
    expect(again.text).toContain('is already pending');
    expect((await operator.get('/schedules/1')).text).toContain('/jobs/1');
  });

  test('shows the result of the job that it started, not only that it started', async () => {
    const { operator, scene } = await open();
    await operator.post('/schedules/new', NIGHTLY);
    await operator.post('/schedules/1/run');
    for (const path of ['/schedules', '/schedules/1', '/servers/1/schedules'])
      expect((await operator.get(path)).text).toContain('<rect class="busy"');
    scene.kept.rows("UPDATE jobs SET status = 'failed', lane_key = NULL RETURNING id");
    for (const path of ['/schedules', '/schedules/1', '/servers/1/schedules']) {
      const { text } = await operator.get(path);
      expect(text).toContain('<rect class="bad"');
      expect(text).toContain('status bad');
    }
  });

  test('says while it is typed when it would come', async () => {
    const { operator } = await open();
    const check = async (cron: string, zone: string) =>
      (await operator.get(`/live/times?${new URLSearchParams({ cron, time_zone: zone })}`)).text;
    expect((await check('0 3 * * *', 'UTC')).match(/<li><time/g)).toHaveLength(5);
    expect(await check('0 3 * * *', 'Mars/Base')).toContain('There is no such time zone.');
    expect(await check('', 'UTC')).not.toContain('fault');
  });

  test("is started from a server's page with that server selected, also after the job is chosen", async () => {
    const { operator } = await open();
    const own = await operator.get('/servers/1/schedules');
    expect(own.text).toContain('href="/schedules/new?server=1"');
    expect(own.text).toContain('href="/windows/new?server=1"');
    for (const path of ['/schedules/new?', '/schedules/new?type=os_patch&', '/windows/new?']) {
      const form = await operator.get(`${path}server=1`);
      expect(form.text).toContain('name="servers" value="web" checked');
      for (const nobody of ['99', 'web', '%3Cb%3E', '']) {
        const empty = await operator.get(`${path}server=${nobody}`);
        expect(empty.status).toBe(200);
        expect(empty.text).not.toContain('value="web" checked');
      }
    }
    expect((await operator.get('/schedules/new?server=%3Cb%3E')).text).not.toContain('name="server"');
    const viewer = await fixture.signedIn('viewer');
    expect((await viewer.get('/servers/1/schedules')).text).not.toContain('/new?server=');
  });

  test('is shown to viewers, and changed only by others', async () => {
    await open();
    const viewer = await fixture.signedIn('viewer');
    const { text } = await viewer.get('/schedules');
    expect(text).not.toContain('New schedule');
  });
});

describe('A maintenance window', () => {
  const NIGHT = {
    name: 'night',
    cron: '0 3 * * *',
    time_zone: 'UTC',
    duration: '1.5',
    selector: 'all',
    servers: '',
    tags: '',
  };

  test('is created, shown with when it opens, changed and deleted', async () => {
    const { operator, scene } = await open();
    expect((await operator.post('/windows/new', NIGHT)).location).toBe('/windows');
    expect((await scene.windows.list())[0]).toMatchObject({
      durationMs: 5_400_000,
      createdBy: 'user:operator1',
    });
    expect((await operator.get('/windows')).text).toContain('closed');
    const form = await operator.get('/windows/1/edit');
    expect(form.text).toContain('value="1.5"');
    const change = { ...NIGHT, name: 'noon', cron: '0 11 * * *', selector: 'ids', servers: 'web' };
    expect((await operator.post('/windows/1/edit', change)).location).toBe('/windows');
    expect((await operator.get('/windows')).text).toContain('open</span></span> until');
    expect((await operator.post('/windows/1/disable')).location).toBe('/windows');
    const off = await operator.get('/windows');
    expect(off.text).toContain('disabled');
    expect(off.text).toContain('aria-label="Enable: ');
    await operator.post('/windows/1/enable');
    expect((await operator.get('/windows')).text).toContain('open</span></span> until');
    expect((await operator.post('/windows/1/remove')).location).toBe('/windows');
    expect(await scene.windows.list()).toEqual([]);
    expect((await operator.post('/windows/1/remove')).status).toBe(404);
    expect(scene.kept.audit.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['window.add', 'window.edit', 'window.remove']),
    );
  });

  test('that is invalid is asked for again', async () => {
    const { operator } = await open();
    const long = await operator.post('/windows/new', { ...NIGHT, duration: 'long' });
    expect(long.status).toBe(422);
    expect(long.text).toContain('value="long"');
    expect(long.text).toContain('Enter hours, such as 3 or 1.5.');
    const brief = await operator.post('/windows/new', { ...NIGHT, duration: '0.01' });
    expect(brief.text).toContain('five minutes to seven days');
    await operator.post('/windows/new', NIGHT);
    expect((await operator.post('/windows/new', NIGHT)).text).toContain('A maintenance window named');
  });
});

describe('A patch policy', () => {
  const CAREFUL = {
    name: 'careful',
    scheduled_types: 'os_patch',
    min_age_hours: '48',
    min_age_by_hand_hours: '0',
    rules: 'security_only',
    exclude_packages: 'linux-* = Tested by hand = 2026-12-31\nnginx = Pinned',
    exclude_images: 'postgres = Needs a dump',
    selector: 'all',
    servers: '',
    tags: '',
  };

  test('is created, shown, changed and deleted', async () => {
    const { operator, scene } = await open();
    expect((await operator.post('/policies/new', CAREFUL)).location).toBe('/policies');
    expect((await scene.policies.list())[0]).toMatchObject({
      minAgeMs: 172_800_000,
      scheduledTypes: ['os_patch'],
      securityOnly: true,
      securityAtOnce: false,
      exclusions: [
        { kind: 'package', pattern: 'linux-*', until: Date.UTC(2026, 11, 31) },
        { kind: 'package', pattern: 'nginx', reason: 'Pinned', until: null },
        { kind: 'image', pattern: 'postgres' },
      ],
    });
    const list = await operator.get('/policies');
    expect(list.text).toContain('Security fixes only, once they are 48 h old in schedules');
    expect(bareTimes(list.text)).toEqual([]);
    expect((await operator.get('/policies/1/edit')).text).toContain('linux-* = Tested by hand = 2026-12-31');
    const change = { ...CAREFUL, name: 'own', exclude_packages: '', selector: 'ids', servers: 'web' };
    expect((await operator.post('/policies/1/edit', change)).location).toBe('/policies');
    expect(await scene.policies.list()).toMatchObject([
      { selector: { by: 'ids' }, exclusions: [{ kind: 'image' }] },
    ]);
    const wrong = await operator.post('/policies/1/edit', { ...change, exclude_packages: 'no reason' });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('is not a pattern of names');
    expect((await operator.post('/policies/1/remove')).location).toBe('/policies');
    expect(await scene.policies.list()).toEqual([]);
  });

  test('restarts unhealthy services, within limits', async () => {
    const { operator, scene } = await open();
    const rule = async (rules: string | string[], restart_checks: string, restarts_per_day: string) => {
      const form = { ...CAREFUL, rules, restart_checks, restarts_per_day };
      const first = (await scene.policies.list())[0];
      return operator.post(first ? `/policies/${first.id}/edit` : '/policies/new', form);
    };
    expect((await rule(['restart_unhealthy'], '4', '2')).location).toBe('/policies');
    expect(await scene.policies.list()).toMatchObject([{ restartUnhealthy: { checks: 4, perDay: 2 } }]);
    expect((await operator.get('/policies')).text).toContain('after 4 unhealthy checks, at most 2 a day');
    expect((await operator.get('/policies/1/edit')).text).toMatch(/name="restart_checks"[^>]*value="4"/);
    for (const [checks, perDay, fields] of [
      ['0', '25', 2],
      ['', '5', 1],
      ['3', 'x', 1],
    ] as const) {
      const wrong = await rule(['restart_unhealthy'], checks, perDay);
      expect([wrong.status, wrong.text.match(/aria-invalid/g)?.length]).toEqual([422, fields]);
    }
    const form = { ...CAREFUL, rules: 'restart_unhealthy', restart_checks: '3', restarts_per_day: '5' };
    expect(
      (await operator.post('/policies/1/edit', { ...form, restart_projects: 'shop, blog' })).location,
    ).toBe('/policies');
    expect(await scene.policies.list()).toMatchObject([{ restartUnhealthy: { projects: ['shop', 'blog'] } }]);
    expect((await operator.get('/policies/1/edit')).text).toContain('value="shop, blog"');
    expect((await operator.post('/policies/1/edit', { ...form, restart_projects: 'Shop' })).status).toBe(422);
    expect((await rule('security_only', '', '')).location).toBe('/policies');
    expect(await scene.policies.list()).toMatchObject([{ restartUnhealthy: null }]);
  });

  test('orders updates in rings, with limits', async () => {
    const { operator, scene } = await open();
    const form = { ...CAREFUL, rings: 'canary = 24\nearly = 1.5', order: 'db, app', groups: 'db = 1' };
    expect((await operator.post('/policies/new', form)).location).toBe('/policies');
    expect(await scene.policies.list()).toMatchObject([
      {
        rings: [
          { tag: 'canary', bakeMs: 24 * HOUR },
          { tag: 'early', bakeMs: 1.5 * HOUR },
        ],
        order: ['db', 'app'],
        groups: [{ tag: 'db', atOnce: 1 }],
      },
    ]);
    const { text } = await operator.get('/policies/1/edit');
    for (const shown of ['canary = 24\nearly = 1.5', 'value="db, app"', 'db = 1'])
      expect(text).toContain(shown);
    const wrong = await operator.post('/policies/1/edit', {
      ...form,
      rings: 'x',
      order: 'A',
      groups: 'db = 0',
    });
    expect([wrong.status, wrong.text.match(/aria-invalid/g)?.length]).toEqual([422, 3]);
  });

  test('and schedules decide about the next updates', async () => {
    const { operator, scene } = await open();
    await operator.post('/policies/new', CAREFUL);
    const { status, text } = await operator.get('/policies/preview');
    expect(status).toBe(200);
    expect(text).toContain('1 server without scheduled updates');
    expect(text).toContain('href="/schedules/new?type=os_patch"');
    // By run: each has its servers.
    await scene.addServer('db', { os_patch: true });
    const update = { ...NIGHTLY, type: 'os_patch', os_steps: 'upgrade', name: 'patches', servers: 'web, db' };
    expect((await operator.post('/schedules/new', update)).location).toBe('/schedules/1');
    const runs = (await operator.get('/policies/preview')).text;
    expect(runs.match(/<section class="card" aria-label="Update packages: patches">/g)).toHaveLength(1);
    const [, of = ''] = runs.split('aria-label="Update packages: patches">');
    for (const id of [1, 2]) expect(of).toContain(`href="/servers/${id}/updates"`);
    const policies = (await operator.get('/policies')).text;
    expect(policies).toMatch(/Followed by 2 servers<.*aria-label="Edit: careful"/s);
  });
});
