import { beforeEach, describe, expect, test } from 'vitest';
import { jobDetailSchema, jobSchema } from '../../../../src/adapters/inbound/api/views/job-view.ts';
import type { Claim } from '../../../../src/application/ports/jobs/job-queue.ts';
import type { TerminalStatus } from '../../../../src/domain/jobs/job.ts';
import { CliFixture, NOW } from './cli-fixture.ts';

let cli: CliFixture;

beforeEach(async () => {
  cli = new CliFixture();
  cli.hosts.host('web');
  await cli.run('server add web --host web.test --yes --no-check --features backup=on,os_patch=on');
  await cli.run('source add web --name www --path /srv/www');
});

/** A worker's steps on a waiting job while a user follows it. */
const worker = {
  async claim(): Promise<Claim> {
    const [claim] = await cli.queue.claim({
      owner: 'w',
      leaseMs: 60_000,
      limit: 1,
      at: NOW,
      record: () => ({}),
    });
    if (!claim) throw new Error('No job waits.');
    return claim;
  },
  async finish(claim: Claim, status: TerminalStatus = 'success') {
    const error =
      status === 'failed' ? ({ code: 'disk_full', detail: 'No space is left on web.' } as const) : null;
    const summary = status === 'success' ? '3 files, 12 KiB' : '';
    await cli.queue.finish(claim, { status, summary, error, result: { files: 3 } }, NOW, () => ({}));
  },
};

describe('job start', () => {
  test('returns at once, and says how to follow', async () => {
    expect(await cli.run('job start web backup')).toEqual({
      code: 0,
      out: 'Job 1, Back up (backup) on web, is pending. Follow it with: drover job show 1 --follow\n',
      err: '',
    });
  });

  test('answers scripts as POST /servers/{id}/jobs does', async () => {
    const reply = await cli.json('job start 1 os_patch --os-step upgrade,update --dry-run');
    expect(reply).toMatchObject({ job_id: 1, status: 'pending', job_type: 'os_patch' });
    expect(jobSchema.parse(reply.job)).toMatchObject({
      os_steps: ['update', 'upgrade'],
      dry_run: true,
      requested_by: 'cli:tester',
    });
  });

  test('exits with 5 where such a job is active, and names it', async () => {
    await cli.run('job start web backup');
    const { code, err } = await cli.run('job start web backup');
    expect([code, err]).toEqual([
      5,
      'drover: Job 1, Back up (backup), is already pending on web; follow it with: drover job show 1 --follow [job_already_active]\n',
    ]);
    expect(await cli.json('job start web backup')).toMatchObject({
      status: 409,
      already_active: true,
      job: { id: 1 },
    });
  });

  test.each([
    ['job start web container_patch', 3, 'feature_disabled'],
    ['job start web backup --source nothing', 4, 'source_not_found'],
    ['job start web os_update_check --source www', 2, 'source_filter is not used'],
    ['job start gone backup', 4, 'server_not_found'],
    ['job start web os_patch --os-step dance', 2, 'The steps are update, upgrade, full_upgrade, autoremove'],
  ])('%s is refused with %i', async (line, exit, fault) => {
    expect(await cli.run(line)).toMatchObject({ code: exit, out: '', err: expect.stringContaining(fault) });
  });
});

describe('A dry run', () => {
  const planned = async (line: string): Promise<string> => {
    cli.clock.steps.push(async () => {
      const claim = await worker.claim();
      const done = {
        status: 'success',
        summary: '',
        error: null,
        result: { plan_id: claim.job.id },
      } as const;
      await cli.queue.finish(claim, done, NOW, () => ({}));
    });
    return (await cli.run(line)).out;
  };

  test('ends with the command that applies its plan, with the same parameters', async () => {
    const command = 'drover job start web os_patch --os-step update,upgrade --plan 1 --follow\n';
    expect(await planned('job start web os_patch --os-step update,upgrade --dry-run --wait')).toMatch(
      new RegExp(`Apply this plan with: ${command}$`),
    );
    expect((await cli.run('job show 1')).out).toContain(`Apply this plan with: ${command}`);
  });

  test('says it beforehand if no one waits for it, and a job without a plan does not', async () => {
    expect((await cli.run('job start web backup --source www --dry-run')).out).toContain(
      'drover job start web backup --source www --plan 1 --follow\n',
    );
    expect((await cli.run('job start web os_update_check --dry-run')).out).not.toContain('--plan');
    expect((await cli.run('job start web os_patch')).out).not.toContain('--plan');
  });
});

describe('job downgrade', () => {
  const CHANGE = { kind: 'upgrade', name: 'nginx', from: '1.24', to: '1.25', security: false };
  const WORSE = { kind: 'unit', name: 'nginx.service', detail: '' };
  const ended = async (line: string, result: object, status: TerminalStatus = 'success') => {
    await cli.run(line);
    const error = status === 'failed' ? ({ code: 'patch_unhealthy', detail: 'It is worse.' } as const) : null;
    const outcome = { status, summary: '', error, result: { ...result } };
    await cli.queue.finish(await worker.claim(), outcome, NOW, () => ({}));
  };

  test('is offered by an update that made its server worse, which lists what and the packages', async () => {
    await ended('job start web os_patch --guard', { changes: [CHANGE], guard: { worse: [WORSE] } }, 'failed');
    const { out } = await cli.run('job show 1');
    expect(out).toContain('unit nginx.service failed');
    expect(out).toContain('nginx 1.24 -> 1.25');
    expect(out).toContain('drover job downgrade 1 --wait\n');
    await ended('job start web os_patch', { changes: [CHANGE], guard: { worse: [] } });
    expect((await cli.run('job show 2')).out).not.toContain('downgrade');
  });

  test('plans first, shows every package, and applies by that plan only', async () => {
    await ended('job start web os_patch', { changes: [CHANGE] });
    expect(await cli.json('job downgrade 1')).toMatchObject({
      id: 2,
      job_type: 'os_downgrade',
      dry_run: true,
      status: 'pending',
    });
    const back = { ...CHANGE, kind: 'downgrade', from: '1.25', to: '1.24' };
    const left = { name: 'libssl', version: '3.0', reason: 'It is held.' };
    const plan = { plan_id: 2, plan_expires_at: new Date(NOW + 60_000).toISOString() };
    const result = { ...plan, changes: [back], left_alone: [left] };
    const outcome = { status: 'success', summary: '', error: null, result } as const;
    await cli.queue.finish(await worker.claim(), outcome, NOW, () => ({}));
    const { out } = await cli.run('job show 2');
    expect(out).toContain('nginx 1.25 -> 1.24');
    expect(out).toContain('libssl 3.0: It is held.');
    expect(out).toContain('drover job downgrade 1 --plan 2 --follow\n');
    expect(await cli.json('job downgrade 1 --plan 2')).toMatchObject({ id: 3, dry_run: false });
    await cli.queue.finish(await worker.claim(), outcome, NOW, () => ({}));
    await ended('job start web os_patch', { changes: [CHANGE] });
    expect(await cli.run('job downgrade 4 --plan 2')).toMatchObject({
      code: 4,
      err: expect.stringContaining('plan_not_found'),
    });
  });

  test.each([
    ['job start web backup', { changes: [CHANGE] }],
    ['job start web os_patch --dry-run', { changes: [CHANGE] }],
    ['job start web os_patch', { changes: [] }],
    ['job start web os_patch', { changes: [CHANGE], changes_count: 2 }],
  ])('of %s with %j is refused', async (line, result) => {
    await ended(line, result);
    expect(await cli.run('job downgrade 1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Job 1'),
    });
    expect(await cli.run('job downgrade 9')).toMatchObject({ code: 4 });
  });

  test('is not started by its name alone', async () => {
    expect(await cli.run('job start web os_downgrade')).toMatchObject({ code: 2 });
  });
});

describe('job logs', () => {
  test('prints the whole log, and with --follow until the job has ended', async () => {
    await cli.run('job start web backup');
    const claim = await worker.claim();
    const lines = Array.from({ length: 90 }, (_, index) => `line ${index}`);
    await cli.queue.appendLog(claim, `${lines.join('\n')}\n`, NOW);
    expect(await cli.run('job logs 1')).toEqual({ code: 0, out: `${lines.join('\n')}\n`, err: '' });
    expect(await cli.json('job logs 1')).toEqual({ job_id: 1, lines });
    cli.clock.steps.push(() => worker.finish(claim));
    expect((await cli.run('job logs 1 --follow')).out).toMatch(/^line 0\n[^]*line 89\nJob 1, .* succeeded/);
    expect(await cli.run('job logs 2')).toMatchObject({ code: 4 });
  });
});

describe('Waiting for a job', () => {
  let claim: Claim;

  const backup = (status: TerminalStatus): void => {
    cli.clock.steps.push(
      async () => {
        claim = await worker.claim();
        const amount = { done: 2_048, total: 8_192, unit: 'bytes' } as const;
        const phases = [{ name: 'Transferring', startedAt: NOW, amount }];
        await cli.queue.progress(claim, { current: 'transferring www', percent: 41.7, phases });
        await cli.queue.appendLog(claim, 'connected\nfirst file\n', NOW);
      },
      async () => {
        await cli.queue.appendLog(claim, 'second \u001b[2Jfile\n', NOW);
        await worker.finish(claim, status);
      },
    );
  };

  test('with --follow shows each log line once, in order, and how it ended', async () => {
    backup('success');
    expect(await cli.run('job start web backup --follow')).toEqual({
      code: 0,
      out: 'Job 1, Back up (backup) on web, is pending.\nconnected\nfirst file\nsecond file\nJob 1, Back up (backup) on web, succeeded: 3 files, 12 KiB\n',
      err: '',
    });
  });

  test('with --wait is silent until the end', async () => {
    backup('success');
    expect(await cli.run('job start web backup --wait')).toEqual({
      code: 0,
      out: 'Job 1, Back up (backup) on web, succeeded: 3 files, 12 KiB\n',
      err: '',
    });
  });

  test.each([
    ['failed', 'Job 1, Back up (backup) on web, failed: No space is left on web. [disk_full]\n'],
    ['cancelled', 'Job 1, Back up (backup) on web, was cancelled.\n'],
  ] as const)('exits with 1 when the job is %s', async (status, sentence) => {
    backup(status);
    expect(await cli.run('job start web backup --wait')).toEqual({ code: 1, out: sentence, err: '' });
  });

  test('with --json prints one value, and the log on standard error', async () => {
    backup('success');
    const { code, out, err } = await cli.run('job start web backup --follow --json');
    const reply = JSON.parse(out);
    expect(code).toBe(0);
    expect(jobDetailSchema.parse(reply.job)).toMatchObject({
      status: 'success',
      done: true,
      result: { files: 3 },
    });
    expect(reply.job.log_lines).toHaveLength(3);
    expect(err).toContain('connected\nfirst file\nsecond file\n');
  });

  test('shows the progress on the last line of a terminal, and removes it again', async () => {
    cli.io.columns = 80;
    backup('success');
    const { out, err } = await cli.run('job start web backup --follow');
    expect(err).toContain('\r\u001b[Kjob 1 running  41 %  transferring www, 2.0 KiB of 8.0 KiB');
    expect(err.endsWith('\r\u001b[K')).toBe(true);
    expect(out).not.toContain('\u001b');
  });

  test('says after a while that nothing takes the job', async () => {
    cli.clock.steps.push(...Array.from({ length: 20 }, () => () => {}));
    backup('success');
    const { out } = await cli.run('job start web backup --wait');
    expect(out.match(/The job still waits; is the service running\? \(drover doctor\)/g)).toHaveLength(1);
  });

  test('ends with 130 when it is interrupted; the job goes on', async () => {
    cli.clock.steps.push(() => cli.interrupt.abort());
    expect(await cli.run('job start web backup --wait')).toMatchObject({
      code: 130,
      out: expect.stringContaining('continues. Check it with'),
    });
    expect(await cli.jobs.find(1)).toMatchObject({ status: 'pending' });
  });

  test('works on a job that was started before, or has ended', async () => {
    await cli.run('job start web backup');
    backup('failed');
    expect(await cli.run('job show 1 --follow')).toMatchObject({
      code: 1,
      out: expect.stringContaining('second file\n'),
    });
    expect(await cli.run('job show 1 --wait')).toMatchObject({ code: 1 });
    expect(await cli.json('job show 1 --wait')).toMatchObject({
      id: 1,
      status: 'failed',
      error_code: 'disk_full',
    });
  });
});

describe('job show, list and cancel', () => {
  test('show reports the result, with the end of the log', async () => {
    await cli.run('job start web backup --source www');
    const claim = await worker.claim();
    await cli.queue.appendLog(claim, 'connected\n', NOW);
    await worker.finish(claim);
    const { out } = await cli.run('job show 1');
    expect(out).toMatch(/^Status: +success$/m);
    expect(out).toMatch(/^Outcome: +3 files, 12 KiB$/m);
    expect(out).toMatch(/^Parameters: +www$/m);
    expect(out).toMatch(/\n\nconnected\n$/);
    expect(jobDetailSchema.parse(await cli.json('job show 1'))).toMatchObject({
      id: 1,
      log_lines: ['connected'],
    });
  });

  test('list takes filters', async () => {
    await cli.run('job start web backup');
    await cli.run('job start web os_update_check');
    expect((await cli.run('job list')).out).toMatch(
      /^ID +SERVER +JOB +STATUS.*\n 2 +web +Check for package updates +pending.*\n 1 +web +Back up +pending/,
    );
    expect(await cli.json('job list --type backup --server web --active')).toMatchObject({
      total: 1,
      jobs: [{ id: 1 }],
    });
    expect(await cli.json('job list --status failed')).toMatchObject({ total: 0, jobs: [] });
    expect((await cli.run('job list --status failed')).out).toBe('No jobs found.\n');
  });

  test('cancel ends a job that waits, and asks one that runs', async () => {
    await cli.run('job start web backup');
    expect(await cli.run('job cancel 1')).toMatchObject({ code: 0, out: 'Job 1 is cancelled.\n' });
    expect(await cli.run('job cancel 1')).toMatchObject({
      code: 5,
      err: expect.stringContaining('job_not_cancellable'),
    });
    await cli.run('job start web backup');
    await worker.claim();
    expect(await cli.run('job cancel 2')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Job 2 is stopping'),
    });
    expect(await cli.json('job show 2')).toMatchObject({ status: 'running', cancellable: false });
  });
});
