import { beforeEach, expect, test } from 'vitest';
import { CliFixture, NOW } from './cli-fixture.ts';

let cli: CliFixture;
beforeEach(async () => {
  cli = new CliFixture();
  cli.hosts.host('web');
  await cli.run('server add web --host web.test --yes --no-check');
  await cli.run('token create --name agent --scopes read');
});

test('entries are listed, by what they are about', async () => {
  const list = await cli.run('audit list');
  expect(list.out).toMatch(/^ID\s+WHEN\s+WHO\s+FROM\s+DID/);
  expect(list.out).toContain('token.create');
  expect(await cli.json('audit list --action server.add --server-id 1')).toMatchObject({
    entries: [{ action: 'server.add', object: 'server:1', actor_name: 'cli:tester', outcome: 'done' }],
  });
  expect((await cli.run('audit list --until 1999-01-01')).out).toBe('No entries found.\n');
  expect(await cli.run('audit list --from yesterday')).toMatchObject({ code: 2 });
});

test('they are exported line by line', async () => {
  const { code, out } = await cli.run('audit export --action token');
  expect([code, JSON.parse(out)]).toMatchObject([0, { action: 'token.create' }]);
  expect((await cli.run('audit export --format csv')).out).toMatch(/^id,at,actor_kind/);
  expect(await cli.run('audit export --json')).toMatchObject({ code: 2 });
});

test('reports the result of verifying, and exits with 1 if it is not intact', async () => {
  const head = {
    seq: 3,
    mac: 'a'.repeat(64),
    baseSeq: 0,
    baseMac: '0'.repeat(64),
    unsignedUpTo: 0,
    beganAt: NOW,
    seal: '',
  };
  cli.verdict = { ...cli.verdict, head };
  const good = await cli.run('audit verify');
  expect([good.code, good.out]).toEqual([0, expect.stringContaining(`--head: 3:${'a'.repeat(64)}`)]);
  expect(await cli.json('audit verify')).toMatchObject({ ok: true, checked: 3, fault: null });
  const detail = 'Entry 2 is not as it was written.';
  cli.verdict = { ...cli.verdict, fault: { what: 'changed', id: 2, seq: 2, detail } };
  expect(await cli.run('audit verify')).toMatchObject({ code: 1, out: expect.stringContaining(detail) });
  expect(await cli.run('audit verify --head 3:xyz')).toMatchObject({ code: 2 });
});

test('The recording of reads is shown and set', async () => {
  expect(await cli.json('audit reads')).toEqual({ reads: false });
  expect(await cli.json('audit reads on')).toEqual({ reads: true });
  expect(await cli.json('audit reads')).toEqual({ reads: true });
  expect(await cli.json('audit reads off')).toEqual({ reads: false });
  expect(await cli.run('audit reads perhaps')).toMatchObject({ code: 2 });
});
