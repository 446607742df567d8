import { beforeEach, describe, expect, test } from 'vitest';
import { forecastSchema } from '../../../../src/adapters/inbound/api/views/forecast-view.ts';
import { policySchema } from '../../../../src/adapters/inbound/api/views/policy-view.ts';
import {
  scheduleOverviewSchema,
  scheduleRunSchema,
  scheduleSchema,
} from '../../../../src/adapters/inbound/api/views/schedule-view.ts';
import { windowSchema } from '../../../../src/adapters/inbound/api/views/window-view.ts';
import { CliFixture } from './cli-fixture.ts';

let cli: CliFixture;

beforeEach(async () => {
  cli = new CliFixture();
  for (const name of ['web', 'db']) {
    cli.hosts.host(name);
    await cli.run(
      `server add ${name} --host ${name}.test --yes --no-check --features os_patch=on --tag prod`,
    );
  }
});

const ADD = 'schedule add nightly --type os_update_check --server web --cron "30 2 * * *"';

describe('schedule', () => {
  test('is refused where a number could be the id of one, or the name of another', async () => {
    await cli.run(ADD);
    await cli.run(ADD.replace('nightly', '1'));
    expect(await cli.run('schedule remove 1 --yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('2'),
    });
    expect(await cli.json('schedule show 2')).toMatchObject({ schedule: { name: '1' } });
  });

  test('add says what it does and when, in its time zone', async () => {
    const { code, out } = await cli.run(`${ADD} --zone Europe/Berlin`);
    expect(code).toBe(0);
    expect(out).toMatch(/^Added the schedule nightly\.$/m);
    expect(out).toMatch(/^When: +30 2 \* \* \* \(Europe\/Berlin\)$/m);
    expect(out).toMatch(/^Next: +2\d Nov 2026, \d\d:\d\d \S+; 2\d Nov 2026/m);
  });

  test('add takes everything, and answers scripts as POST /schedules does', async () => {
    const line =
      'schedule add patch --type os_patch --tag prod --cron @daily --os-step update --dry-run --jitter 10m --parallel 5 --canary 1 --stop-after 2 --disabled';
    expect(scheduleSchema.parse(await cli.json(line))).toMatchObject({
      name: 'patch',
      selector: { ids: null, tags: ['prod'], all: false },
      time_zone: 'UTC',
      os_steps: ['update'],
      dry_run: true,
      jitter_seconds: 600,
      max_parallel: 5,
      canary: 1,
      stop_after_failures: 2,
      enabled: false,
      created_by: 'cli:tester',
    });
  });

  test('list and show have the next times and the last results', async () => {
    expect((await cli.run('schedule list')).out).toContain('There are no schedules.');
    await cli.run(ADD);
    expect(await cli.run('schedule run-now nightly')).toMatchObject({
      code: 0,
      out: 'Started job 1. Follow it with: drover job show 1 --follow\n',
    });
    expect((await cli.run('schedule list')).out).toMatch(
      /1 +nightly +Check for package updates +server web +30 2 \* \* \* \(UTC\) +2\d Nov 2026, \d\d:\d\d \S+ +started 2\d Nov 2026/,
    );
    expect((await cli.run('schedule show nightly')).out).toMatch(/started \(manual\) +job 1/);
    const { schedules } = await cli.json('schedule list');
    expect(scheduleOverviewSchema.parse(schedules[0]).last_run).toMatchObject({ job_id: 1 });
    const shown = await cli.json('schedule show 1');
    expect(scheduleRunSchema.array().parse(shown.runs)).toHaveLength(1);
    expect(shown.next_runs).toHaveLength(5);
  });

  test('edit changes what is named alone; enable and disable switch it', async () => {
    await cli.run(`${ADD} --stop-after 3`);
    const edited = await cli.json(
      'schedule edit nightly --cron "0 4 * * *" --name early --canary 2 --no-stop',
    );
    expect(edited).toMatchObject({
      name: 'early',
      cron: '0 4 * * *',
      time_zone: 'UTC',
      canary: 2,
      stop_after_failures: null,
      selector: { ids: [1] },
    });
    expect(await cli.json('schedule edit early --zone Europe/Berlin')).toMatchObject({
      cron: '0 4 * * *',
      time_zone: 'Europe/Berlin',
    });
    expect(await cli.json('schedule edit early --all')).toMatchObject({ selector: { all: true } });
    expect(await cli.json('schedule disable early')).toMatchObject({ enabled: false });
    expect((await cli.run('schedule list')).out).toMatch(/early .* off/);
    expect(await cli.json('schedule enable 1')).toMatchObject({ enabled: true });
  });

  test('run-now starts a batch on several servers', async () => {
    await cli.run('schedule add all --type os_update_check --all --cron @daily');
    expect(await cli.run('schedule run-now all')).toMatchObject({
      out: 'Started batch 1. Follow it with: drover batch show 1\n',
    });
    expect(await cli.run('schedule run-now all')).toMatchObject({
      code: 5,
      err: expect.stringContaining('Batch 1'),
    });
  });

  test('remove asks first', async () => {
    await cli.run(ADD);
    expect(await cli.run('schedule remove nightly')).toMatchObject({ code: 2 });
    expect(await cli.run('schedule remove nightly --yes')).toMatchObject({
      code: 0,
      out: 'Deleted the schedule nightly. Jobs that it started continue.\n',
    });
    expect(await cli.run('schedule show nightly')).toMatchObject({
      code: 4,
      err: expect.stringContaining('schedule_not_found'),
    });
  });

  test.each([
    ['schedule add a b --type backup', 2, 'cron'],
    ['schedule add x --type backup --cron "0 0 * * *"', 2, 'exactly one'],
    ['schedule add x --type backup --server web --cron often', 2, 'cron'],
    ['schedule add x --type backup --server web --cron @daily --zone Mars/X', 2, 'time_zone'],
    ['schedule add x --type dance --server web --cron @daily', 2, 'Allowed choices'],
    ['schedule add x --type backup --server web --cron @daily --jitter 5', 2, 'such as 30m'],
    ['schedule edit 9 --name y', 4, 'schedule_not_found'],
    ['schedule enable gone', 4, 'schedule_not_found'],
  ])('%s is refused with %i', async (line, exit, fault) => {
    expect(await cli.run(line)).toMatchObject({ code: exit, out: '', err: expect.stringContaining(fault) });
  });

  test('an edit that names nothing is refused', async () => {
    await cli.run(ADD);
    expect(await cli.run('schedule edit nightly')).toMatchObject({
      code: 2,
      err: expect.stringContaining('empty_change'),
    });
  });
});

describe('window', () => {
  const WINDOW = 'window add nights --server web --cron "0 2 * * *" --for 2h';

  test('add, list and remove', async () => {
    expect((await cli.run('window list')).out).toContain('There are no maintenance windows');
    expect(await cli.run(WINDOW)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Added the window nights for server web\. It opens at 2\d Nov 2026, /),
    });
    expect((await cli.run('window list')).out).toMatch(
      /1 +nights +server web +0 2 \* \* \* \(UTC\) +2 h +opens at 2\d Nov 2026/,
    );
    const { windows, total } = await cli.json('window list');
    expect([total, windowSchema.parse(windows[0])]).toMatchObject([
      1,
      { duration_minutes: 120, open: false },
    ]);
    expect(await cli.json('window edit nights --for 3h --name late')).toMatchObject({
      name: 'late',
      duration_minutes: 180,
      cron: windows[0].cron,
      time_zone: windows[0].time_zone,
      selector: windows[0].selector,
    });
    expect(await cli.run('window edit late')).toMatchObject({ code: 2 });
    expect(await cli.run('window edit nobody --for 3h')).toMatchObject({ code: 4 });
    expect(await cli.run('window edit late --name nights --tag db')).toMatchObject({ code: 0 });
    expect(await cli.run('window remove nights')).toMatchObject({ code: 2 });
    expect(await cli.run('window remove nights --yes')).toMatchObject({ code: 0 });
    expect(await cli.run('window remove nights --yes')).toMatchObject({
      code: 4,
      err: expect.stringContaining('window_not_found'),
    });
  });

  test('holds at the command line, too, unless the operator says otherwise', async () => {
    await cli.run(WINDOW);
    expect(await cli.run('job start web os_patch')).toMatchObject({
      code: 3,
      err: expect.stringMatching(/opens at 2\d Nov 2026, \d\d:\d\d \S+ \[outside_maintenance_window\]/),
    });
    expect(await cli.run('job start web os_patch --dry-run')).toMatchObject({ code: 0 });
    await cli.run('job cancel 1');
    expect(await cli.run('job start web os_patch --outside-window')).toMatchObject({ code: 0 });
    expect(cli.kept.audit.at(-1)).toMatchObject({ detail: { outsideWindow: true } });
    expect(await cli.json('job start os_patch --all')).toMatchObject({
      batch: { hosts: { waiting: 1, skipped: 1 } },
    });
    expect(await cli.json('job start os_patch --all --outside-window')).toMatchObject({
      batch: { hosts: { waiting: 2 }, outside_window: true },
    });
  });
});

describe('policy', () => {
  const POLICY =
    'policy add careful --all --min-age 48h --reboot-if-needed yes --exclude-package "linux-*=Tested by hand=2026-12-31"';

  test('add, list, edit and remove', async () => {
    expect((await cli.run('policy list')).out).toContain('There are no patch policies');
    expect(await cli.run(POLICY)).toMatchObject({
      code: 0,
      out: 'Added the policy careful for all servers: security fixes as soon as they appear, other updates once they are 48 h old in schedules; reboot if needed.\n',
    });
    const { policies, total } = await cli.json('policy list');
    const exclusion = { kind: 'package', pattern: 'linux-*', reason: 'Tested by hand' };
    expect([total, policySchema.parse(policies[0])]).toMatchObject([
      1,
      { min_age_hours: 48, exclusions: [{ ...exclusion, until: '2026-12-31T00:00:00.000Z' }] },
    ]);
    expect(await cli.json('policy edit careful --updates security --name strict')).toMatchObject({
      name: 'strict',
      security_only: true,
      min_age_hours: 48,
      exclusions: [exclusion],
    });
    expect(await cli.json('policy edit strict --no-exclusions --scheduled none --tag db')).toMatchObject({
      exclusions: [],
      scheduled_types: [],
      selector: { tags: ['db'] },
    });
    expect(await cli.json('policy edit strict --restart-unhealthy 3/5')).toMatchObject({
      restart_unhealthy: { checks: 3, per_day: 5 },
    });
    expect(await cli.json('policy edit strict --min-age 1h')).toMatchObject({
      restart_unhealthy: { checks: 3, per_day: 5 },
    });
    for (const wrong of ['3', '0/5', '61/1', 'often'])
      expect(await cli.run(`policy edit strict --restart-unhealthy ${wrong}`)).toMatchObject({ code: 2 });
    expect(await cli.json('policy edit strict --restart-unhealthy 3/5=shop,blog')).toMatchObject({
      restart_unhealthy: { checks: 3, per_day: 5, projects: ['shop', 'blog'] },
    });
    expect(await cli.json('policy edit strict --restart-unhealthy never')).toMatchObject({
      restart_unhealthy: null,
    });
    const order = '--ring canary=24h --ring early=90m --order db,app --at-once db=1';
    expect(await cli.json(`policy edit strict ${order}`)).toMatchObject({
      rings: [
        { tag: 'canary', bake_hours: 24 },
        { tag: 'early', bake_hours: 1.5 },
      ],
      order: ['db', 'app'],
      groups: [{ tag: 'db', at_once: 1 }],
    });
    expect((await cli.run('policy edit strict --min-age 1h')).out).toContain(
      'first canary for 24 h, then early for 1.5 h; in the order db, app; at most 1 of db at once',
    );
    for (const wrong of ['--ring canary', '--ring C=1h', '--at-once db=0', '--at-once db', '--order db,db'])
      expect(await cli.run(`policy edit strict ${wrong}`)).toMatchObject({ code: 2 });
    expect(await cli.json('policy edit strict --no-update-order')).toMatchObject({ rings: [], groups: [] });
    expect(await cli.run('policy edit strict')).toMatchObject({ code: 2 });
    expect(await cli.run('policy edit nobody --min-age 1h')).toMatchObject({ code: 4 });
    expect(await cli.run('policy add bad --all --exclude-image "a b"')).toMatchObject({ code: 2 });
    expect((await cli.run('policy preview')).out).toMatch(/web +- +- +- +- +nothing: no schedule updates it/);
    const { servers } = await cli.json('policy preview');
    expect(forecastSchema.parse(servers[0])).toMatchObject({ server_name: expect.any(String), updates: [] });
    expect(await cli.run('policy remove strict --yes')).toMatchObject({ code: 0 });
    expect(await cli.run('policy remove strict --yes')).toMatchObject({
      code: 4,
      err: expect.stringContaining('policy_not_found'),
    });
  });
});
