import { beforeEach, expect, test } from 'vitest';
import { jobSchema } from '../../../../src/adapters/inbound/api/views/job-view.ts';
import { CliFixture, NOW } from './cli-fixture.ts';

let cli: CliFixture;

beforeEach(async () => {
  cli = new CliFixture();
  cli.hosts.host('web');
  await cli.run('server add web --host web.test --yes --no-check --features backup=on');
  await cli.run('source add web --name www --path /srv/www');
});

test('drover status shows whether it runs, what needs attention, active jobs and the next schedules', async () => {
  expect(await cli.json('status')).toMatchObject({ running: false, replicas: 0, jobs: [], schedules: [] });
  expect((await cli.run('status')).out).toContain('Drover is not running');
  await cli.replicas.beat({ owner: 'a', version: '1.2.3', startedAt: NOW, keyIds: null });
  await cli.run('job start web backup');
  for (const [name, hour] of [
    ['late', 4],
    ['early', 1],
  ]) {
    await cli.run(`schedule add ${name} --type backup --server web --cron "0 ${hour} * * *"`);
  }
  await cli.run('schedule add off --type backup --server web --cron "0 0 * * *" --disabled');
  const found = await cli.json('status');
  expect(found).toMatchObject({
    running: true,
    replicas: 1,
    servers: 1,
    needs: [{ need: 'unchecked', total: 1, servers: [{ id: 1, name: 'web' }] }],
    jobs_active: 1,
    schedules: [{ name: 'early', next_run_at: '2026-11-21T01:00:00.000Z' }, { name: 'late' }],
  });
  expect(jobSchema.parse(found.jobs[0])).toMatchObject({ id: 1, status: 'pending' });
  const { code, out } = await cli.run('status');
  expect(code).toBe(0);
  expect(out).toMatch(/never connected: web\n[^]*1 {2}Back up on web: pending[^]*early \(Back up\)/);
});
