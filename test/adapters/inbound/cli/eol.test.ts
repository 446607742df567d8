import { beforeEach, describe, expect, it } from 'vitest';
import { CliFixture } from './cli-fixture.ts';

const file = (day: string): string =>
  JSON.stringify({
    result: { name: 'debian', releases: [{ name: '12', eolFrom: '2020-01-01', eoesFrom: day }] },
  });

describe('drover eol', () => {
  let cli: CliFixture;
  beforeEach(async () => {
    cli = new CliFixture();
    await cli.run('server add web --local');
    await cli.run('server check web');
  });

  it('knows until when a server gets security updates, and finds those that get none', async () => {
    expect(await cli.json('server show web')).toMatchObject({
      os_version: '12',
      support_ends_at: '2028-06-30T23:59:59.999Z',
    });
    expect((await cli.run('server show web')).out).toContain('2028-06-30');
    expect(await cli.json('server list --support ended')).toMatchObject({ total: 0 });
    expect(await cli.run('server list --support never')).toMatchObject({ code: 2 });
  });

  it('imports newer dates, for all servers at once', async () => {
    cli.io.files.set('/feeds/debian.json', file('2026-11-01'));
    expect(await cli.json('eol import /feeds/debian.json')).toEqual({ ok: true, releases: 1, servers: 1 });
    expect(await cli.json('server list --support ended')).toMatchObject({ total: 1 });
    cli.io.files.set('/feeds/debian.json', file('2026-12-24'));
    await cli.run('eol import /feeds/debian.json');
    expect(await cli.json('server list --support ended')).toMatchObject({ total: 0 });
    expect(await cli.json('server list --support ending')).toMatchObject({ total: 1 });
    await cli.run('server check web');
    expect(await cli.json('server show web')).toMatchObject({ support_ends_at: '2026-12-24T23:59:59.999Z' });
    const { releases } = (await cli.json('eol list')) as { releases: readonly object[] };
    expect(releases).toContainEqual({ os_id: 'debian', os_version: '12', supported_until: '2026-12-24' });
    expect(releases).toContainEqual({ os_id: 'debian', os_version: '13', supported_until: '2030-06-30' });
  });

  it('refuses other files, and changes nothing', async () => {
    cli.io.files.set('/feeds/other.json', '{"result":{"name":"php","releases":[]}}');
    expect(await cli.run('eol import /feeds/other.json')).toMatchObject({ code: 2 });
    expect(await cli.run('eol import /feeds/missing.json')).toMatchObject({ code: 2 });
    expect(await cli.json('server show web')).toMatchObject({ support_ends_at: '2028-06-30T23:59:59.999Z' });
  });
});
