import { beforeEach, describe, expect, test } from 'vitest';
import { batchMemberSchema, batchSchema } from '../../../../src/adapters/inbound/api/views/batch-view.ts';
import type { TerminalStatus } from '../../../../src/domain/jobs/job.ts';
import { CliFixture, NOW } from './cli-fixture.ts';

let cli: CliFixture;

beforeEach(async () => {
  cli = new CliFixture();
  for (const name of ['web-1', 'web-2', 'web-3', 'db-1']) {
    cli.hosts.host(name);
    const tag = name.startsWith('web') ? 'web' : 'db';
    await cli.run(
      `server add ${name} --host ${name}.test --yes --no-check --features os_patch=on --tag ${tag}`,
    );
  }
});

/** The service's work each time that the command checks. */
const meanwhile = (looks: number, fate: (name: string) => TerminalStatus = () => 'success'): void => {
  for (let look = 0; look < looks; look += 1) {
    cli.clock.steps.push(async () => {
      await cli.advance();
      const claims = await cli.queue.claim({
        owner: 'w',
        leaseMs: 60_000,
        limit: 50,
        at: NOW,
        record: () => ({}),
      });
      for (const claim of claims) {
        const status = fate(claim.job.serverName);
        await cli.queue.finish(claim, { status, summary: '', error: null, result: null }, NOW, () => ({}));
      }
    });
  }
};

describe('job start on many servers', () => {
  test('returns at once, and says how to look at it', async () => {
    expect(await cli.run('job start os_update_check --tag web')).toEqual({
      code: 0,
      out: 'Batch 1, Check for package updates (os_update_check), started: 3 waiting. Follow it with: drover batch show 1\n',
      err: '',
    });
    const reply = await cli.json('job start os_update_check --server db-1,1 --canary 1 --parallel 3');
    expect(reply).toMatchObject({ batch_id: 2, status: 'running', job_type: 'os_update_check' });
    expect(batchSchema.parse(reply.batch)).toMatchObject({
      canary: 1,
      max_parallel: 3,
      hosts: { total: 2, waiting: 2 },
      requested_by: 'cli:tester',
    });
    expect(await cli.json('job start os_update_check --all')).toMatchObject({
      batch: { hosts: { total: 4 } },
    });
  });

  test('with --wait reports the result, and exits with 0 if all of it succeeded', async () => {
    meanwhile(4);
    expect(await cli.run('job start os_update_check --tag web --wait')).toEqual({
      code: 0,
      out: 'Batch 1, Check for package updates (os_update_check) on tag web, succeeded: 3 success. See each host with: drover batch show 1\n',
      err: '',
    });
  });

  test('with --wait exits with 1 when it was stopped, and says why', async () => {
    meanwhile(6, (name) => (name === 'web-1' ? 'failed' : 'success'));
    const { code, out } = await cli.run('job start os_update_check --tag web --canary 1 --wait');
    expect([code, out]).toEqual([
      1,
      'Batch 1, Check for package updates (os_update_check) on tag web, was stopped: 1 failed, 2 not started. A canary failed, so Drover started no other servers. See each host with: drover batch show 1\n',
    ]);
  });

  test('with --wait --json prints one value, and shows progress on a terminal', async () => {
    cli.io.columns = 80;
    meanwhile(4);
    const { code, out, err } = await cli.run('job start os_update_check --tag web --wait --json');
    expect(code).toBe(0);
    expect(batchSchema.parse(JSON.parse(out).batch)).toMatchObject({ status: 'success', done: true });
    expect(err).toContain('batch 1  3 waiting');
  });

  test('ends with 130 when it is interrupted; the batch goes on', async () => {
    cli.clock.steps.push(() => cli.interrupt.abort());
    expect(await cli.run('job start os_update_check --all --wait')).toMatchObject({
      code: 130,
      out: expect.stringContaining('continues. Check it with'),
    });
  });

  test.each([
    ['job start os_update_check', 2, 'specify the job to start on os_update_check'],
    ['job start web-1 os_update_check --tag web', 2, 'specify the servers once'],
    ['job start dance --all', 2, 'the job types are'],
    ['job start web-1 os_update_check --canary 1', 2, 'need --tag, --server or --all'],
    ['job start os_patch --all --plan 3', 2, 'a plan is for one server'],
    ['job start os_update_check --tag web --all', 2, 'exactly one'],
    ['job start os_update_check --tag nothing', 4, 'server_not_found'],
    ['job start os_update_check --server web-1,gone', 4, 'server_not_found'],
    ['job start os_update_check --all --parallel 101', 2, 'from 1 to 100'],
  ])('%s is refused with %i', async (line, exit, fault) => {
    expect(await cli.run(line)).toMatchObject({ code: exit, out: '', err: expect.stringContaining(fault) });
  });
});

describe('batch list, show and cancel', () => {
  test('list shows how many servers are in which state', async () => {
    await cli.run('job start os_update_check --tag web');
    expect((await cli.run('batch list')).out).toMatch(
      /^ID +JOB +SERVERS +STATUS.*\n 1 +Check for package updates +tag web +running +3 waiting/,
    );
    const { batches, total } = await cli.json('batch list --status running');
    expect(total).toBe(1);
    expect(batchSchema.array().parse(batches)).toHaveLength(1);
    expect((await cli.run('batch list --status failed')).out).toBe('No batches found.\n');
  });

  test('show lists each server, and why one got no job', async () => {
    await cli.run('server features db-1 os_patch=off');
    await cli.run('job start os_update_check --all --stop-after 2');
    await cli.advance();
    const { out } = await cli.run('batch show 1');
    expect(out).toMatch(/^Stops after: +2 failures$/m);
    expect(out).toMatch(
      /^db-1 +skipped +- +The feature "os_patch" is off for db-1; an operator can turn it on with `.*`\. \[feature_disabled\]$/m,
    );
    expect(out).toMatch(/^web-1 +active +\d+/m);
    const { members, total } = await cli.json('batch show 1 --status skipped');
    expect([total, batchMemberSchema.array().parse(members)[0]?.code]).toEqual([1, 'feature_disabled']);
    expect(await cli.run('batch show 9')).toMatchObject({
      code: 4,
      err: expect.stringContaining('batch_not_found'),
    });
  });

  test('cancel starts no further server, once', async () => {
    await cli.run('job start os_update_check --all --parallel 1');
    await cli.advance();
    expect(await cli.run('batch cancel 1')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 active, 3 not started'),
    });
    expect(await cli.run('batch cancel 1')).toMatchObject({
      code: 5,
      err: expect.stringContaining('batch_not_cancellable'),
    });
  });
});
