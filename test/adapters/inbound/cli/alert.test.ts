import { beforeEach, describe, expect, it } from 'vitest';
import { CliFixture } from './cli-fixture.ts';

describe('drover alert', () => {
  let cli: CliFixture;
  beforeEach(async () => {
    cli = new CliFixture();
    await cli.run('server add web --local');
    const condition = { kind: 'job.failed', subjectId: 1, serverId: 1, jobId: 7, name: 'web' } as const;
    const words = { severity: 'critical', title: 'backup on web failed', message: 'why' } as const;
    await cli.stores.deliveries.handOut(
      [],
      [
        {
          condition: { ...condition, variant: 'backup', at: cli.clock.now() },
          words: { ...words, muted: false },
        },
      ],
      cli.clock.now(),
    );
  });

  it('lists what is wrong, by what is asked for', async () => {
    expect((await cli.run('alert list')).out).toContain('backup on web failed');
    expect(await cli.json('alert list --server web --kind job.failed --min-severity critical')).toMatchObject(
      {
        total: 1,
        notifications: [{ id: 1, kind: 'job.failed', state: 'open', server_id: 1, job_id: 7 }],
      },
    );
    expect((await cli.run('alert list --state resolved')).out).toBe('No resolved alerts.\n');
    expect(await cli.run('alert list --server nobody')).toMatchObject({ code: 4 });
    expect(await cli.run('alert list --kind nothing')).toMatchObject({ code: 2 });
  });

  it('takes an acknowledgement', async () => {
    expect(await cli.run('alert ack 1')).toMatchObject({ code: 0 });
    expect((await cli.run('alert list')).out).toContain('acknowledged by cli:tester');
    expect(await cli.run('alert ack 9')).toMatchObject({ code: 4 });
  });

  it('mutes, lists mutes, and takes one back', async () => {
    expect((await cli.run('alert mute --server web --for 8h')).out).toMatch(
      /^Muted anything about web until /,
    );
    expect((await cli.run('alert list')).out).toContain('(muted)');
    expect(await cli.json('alert mutes')).toMatchObject({ total: 1, mutes: [{ id: 1, server_id: 1 }] });
    expect(await cli.run('alert unmute 1')).toMatchObject({ code: 0 });
    expect(await cli.run('alert unmute 1')).toMatchObject({ code: 4 });
    expect((await cli.run('alert mutes')).out).toBe('Nothing is muted.\n');
    expect(await cli.run('alert mute')).toMatchObject({ code: 2 });
  });

  it('shows and changes the alert rules of each kind', async () => {
    expect((await cli.run('alert policy')).out).toMatch(
      /server\.unreachable +after 20 min +after 1 d +critical$/m,
    );
    expect((await cli.run('alert policy')).out).toMatch(/updates\.available .* info or warning$/m);
    const changed = await cli.json('alert policy backup.stale --debounce 0m --remind never --severity info');
    expect(changed).toEqual({
      kind: 'backup.stale',
      debounce_seconds: 0,
      remind_seconds: null,
      severity: 'info',
    });
    expect((await cli.run('alert policy')).out).toMatch(/backup\.stale +at once +never +info/);
    expect(await cli.json('alert policy backup.stale --severity own')).toMatchObject({ severity: null });
    expect(await cli.run('alert policy nothing --remind 1h')).toMatchObject({ code: 2 });
    expect(await cli.run('alert policy backup.stale')).toMatchObject({ code: 2 });
    expect(await cli.run('alert policy backup.stale --remind 1s')).toMatchObject({ code: 2 });
  });
});
