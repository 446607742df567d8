import { beforeEach, expect, test } from 'vitest';
import { HOUR } from '../../../../src/domain/base/instant.ts';
import { requestJob } from '../../../../src/domain/jobs/job.ts';
import { CliFixture, NOW } from './cli-fixture.ts';

let cli: CliFixture;
beforeEach(async () => {
  cli = new CliFixture();
  cli.hosts.host('web');
  await cli.run('server add web --host web.test --yes --no-check --features os_patch=on');
  await cli.run('token create --name agent --scopes read,jobs --require-approval');
  await cli.jobs.enqueue(
    requestJob({
      server: { id: 1, name: 'web' },
      type: 'os_patch',
      params: { sourceFilter: null, service: null, osSteps: ['upgrade'], dryRun: false },
      requestedBy: 'token:agent',
      reason: 'CVE-2026-1234 in openssl.',
      scheduled: false,
      approval: {
        requester: { kind: 'token', id: 1, name: 'agent', address: null, label: 'token:agent' },
        expiresAt: NOW + HOUR,
      },
      at: NOW,
    }),
    () => ({}),
  );
});

test('requests are listed and shown', async () => {
  const list = await cli.run('approval list --state waiting');
  expect(list.code).toBe(0);
  expect(list.out).toMatch(/^ID\s+STATE\s+ACTION\s+ON/);
  expect(list.out).toContain('token:agent');
  expect(await cli.json('approval list')).toMatchObject({
    approvals: [{ id: 1, state: 'waiting', job_id: 1, batch_id: null, subject: 'web' }],
    total: 1,
  });
  expect((await cli.run('approval list --state refused')).out).toBe('No requests found.\n');
  expect((await cli.run('approval show 1')).out).toMatch(
    /^Request: +1, Update packages \(os_patch\) on web \(job 1\)$/m,
  );
  for (const show of ['approval show 1', 'job show 1']) {
    expect((await cli.run(show)).out).toMatch(/^Reason: +CVE-2026-1234 in openssl\.$/m);
  }
  expect(await cli.run('approval show 9')).toMatchObject({ code: 4 });
});

test('one that changes something is approved by its dry run, or expressly without', async () => {
  expect(await cli.run('approval approve 1')).toMatchObject({ code: 4 });
  expect((await cli.run('approval plan 1')).out).toContain('Job 2 is the dry run');
  expect(await cli.run('approval approve 1 --no-plan')).toMatchObject({ code: 5 });
  await cli.run('job cancel 2');
  const { code, out } = await cli.run('approval approve 1 --no-plan --note tonight');
  expect([code, out]).toEqual([
    0,
    'Update packages (os_patch) on web is approved. Follow it with: drover job show 1\n',
  ]);
  expect(await cli.json('job show 1')).toMatchObject({ status: 'pending' });
  expect(await cli.run('approval approve 1 --no-plan')).toMatchObject({ code: 5 });
});

test('one is refused with a word on why', async () => {
  expect(await cli.json('approval decline 1 --note later')).toMatchObject({
    state: 'refused',
    note: 'later',
  });
  expect(await cli.json('job show 1')).toMatchObject({
    status: 'cancelled',
    error: 'cli:tester declined it: later',
    error_code: 'approval_refused',
  });
});

test('a change is shown with before and after, and made when it is approved', async () => {
  await cli.run('token edit 1 --scopes read,jobs,edit');
  await cli.requestChange(1, { kind: 'set_features', serverId: 1, flags: { os_patch: false } });
  const { out } = await cli.run('approval show 2');
  expect(out).toContain('(set_features) on web (os_patch: on → off)');
  expect(out).toContain('os_patch: on -> off');
  expect(await cli.json('approval show 2')).toMatchObject({
    approval: { job_type: null, change: { kind: 'set_features', outcome: null } },
    preview: { facts: [{ name: 'os_patch', before: 'on', after: 'off' }] },
  });
  expect(await cli.run('approval approve 2')).toMatchObject({
    code: 0,
    out: 'Switch features (set_features) on web is approved and done.\n',
  });
  expect(await cli.json('server show web')).toMatchObject({ features: { os_patch: false } });
});

test('The command line shows and sets who has to approve, and overrides that with a note', async () => {
  const usual = { four_eyes: false, approver_role: 'operator', approvers: 1 };
  expect(await cli.json('approval rule')).toEqual(usual);
  expect(await cli.run('approval rule --approvers 6')).toMatchObject({ code: 2 });
  expect(await cli.run('approval rule --approver-role viewer')).toMatchObject({ code: 2 });
  expect(await cli.json('approval rule --four-eyes --approvers 2')).toEqual({
    ...usual,
    four_eyes: true,
    approvers: 2,
  });
  const strict = 'token create --name strict --scopes read,jobs --approver-role administrator';
  expect(await cli.run(strict)).toMatchObject({ code: 2 });
  expect(await cli.json(`${strict} --require-approval`)).toMatchObject({
    approval_rule: { ...usual, approver_role: 'administrator' },
  });
  expect(await cli.json('token edit 2 --approvers 3')).toMatchObject({
    approval_rule: { ...usual, approver_role: 'administrator', approvers: 3 },
  });
  expect(await cli.json('token edit 2 --no-require-approval')).toMatchObject({ approval_rule: null });
  expect(await cli.json('approval show 1')).toMatchObject({
    rule: { ...usual, four_eyes: true, approvers: 2 },
    approvals_missing: 2,
  });
  expect(await cli.run('approval approve 1 --no-plan')).toMatchObject({ code: 3 });
  expect(await cli.run('approval approve 1 --no-plan --override')).toMatchObject({ code: 2 });
  expect(await cli.json('approval approve 1 --no-plan --override --note emergency')).toMatchObject({
    state: 'approved',
    note: 'emergency',
  });
});
