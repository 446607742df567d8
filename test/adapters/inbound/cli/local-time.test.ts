import { expect, test } from 'vitest';
import { clockOf, localTimes } from '../../../../src/adapters/inbound/cli/local-time.ts';
import { toMinute } from '../../../../src/domain/base/instant.ts';
import { CliFixture, NOW } from './cli-fixture.ts';

const AT = Date.UTC(2026, 10, 27, 23, 44);

test.each([
  ['Europe/Berlin', '28 Nov 2026, 00:44 CET'],
  ['America/New_York', '27 Nov 2026, 18:44 EST'],
  ['Asia/Kolkata', '28 Nov 2026, 05:14 IST'],
  ['Asia/Dubai', '28 Nov 2026, 03:44 GST'],
  ['UTC', '27 Nov 2026, 23:44 UTC'],
])('a clock of %s shows its own time and the name of the zone', (zone, shown) => {
  expect(clockOf(zone)(AT)).toBe(shown);
  expect(localTimes(`From ${toMinute(AT)} until ${toMinute(AT)}.`, clockOf(zone))).toBe(
    `From ${shown} until ${shown}.`,
  );
});

test('a text without a time stays as it is, and so does what is none', () => {
  for (const text of ['', 'Done.', '2026-11-27T23:44:00.000Z', '2026-99-99 99:99 UTC'])
    expect(localTimes(text, clockOf('Asia/Dubai'))).toBe(text);
});

test('a summary has the time of the terminal for people, and UTC for scripts', async () => {
  const cli = new CliFixture();
  cli.hosts.host('web');
  await cli.run('server add web --host web.test --yes --no-check --features backup=on');
  await cli.run('source add web --name www --path /srv/www');
  await cli.run('job start web backup');
  const [claim] = await cli.queue.claim({
    owner: 'w',
    leaseMs: 60_000,
    limit: 1,
    at: NOW,
    record: () => ({}),
  });
  if (!claim) throw new Error('No job is pending.');
  const summary = `Restored www (${toMinute(AT)}).`;
  await cli.queue.finish(claim, { status: 'success', summary, error: null, result: {} }, NOW, () => ({}));
  expect((await cli.run('job show 1')).out).toContain(`Restored www (${clockOf()(AT)}).`);
  expect(await cli.json('job show 1')).toMatchObject({ summary });
});

test('a log stays as the host wrote it', async () => {
  const cli = new CliFixture();
  cli.hosts.host('web');
  await cli.run('server add web --host web.test --yes --no-check --features backup=on');
  await cli.run('source add web --name www --path /srv/www');
  await cli.run('job start web backup');
  const order = { owner: 'w', leaseMs: 60_000, limit: 1, at: NOW, record: () => ({}) };
  const [claim] = await cli.queue.claim(order);
  if (!claim) throw new Error('No job is pending.');
  const line = `cron: next run at ${toMinute(AT)}`;
  await cli.queue.appendLog(claim, `${line}\n`, NOW);
  for (const command of ['job show 1', 'job logs 1']) expect((await cli.run(command)).out).toContain(line);
  cli.clock.steps.push(async () => {
    const done = { status: 'success', summary: `Until ${toMinute(AT)}.`, error: null, result: {} } as const;
    await cli.queue.finish(claim, done, NOW, () => ({}));
  });
  const { out } = await cli.run('job show 1 --follow');
  expect(out).toContain(line);
  expect(out).toContain(`Until ${clockOf()(AT)}.`);
});
