import { beforeEach, describe, expect, test } from 'vitest';
import { CliWorld } from './cli-world.ts';

let cli: CliWorld;
const ADD =
  'dump add web www --name shop --kind postgres --podman db_1 --database shop --user backup --password-file password';

beforeEach(async () => {
  cli = new CliWorld();
  cli.io.files.set('/home/tester/password', 'hunter2hunter2\n');
  cli.hosts.host('web');
  await cli.run('server add web --host web.test --yes --no-check');
  await cli.run('source add web --name www --path /srv/www');
});

describe('dump', () => {
  test('add, list and remove, and the password is told nowhere', async () => {
    const added = await cli.json(ADD);
    expect(added).toMatchObject({
      name: 'shop',
      kind: 'postgres',
      client: 'podman',
      container: 'db_1',
      has_password: true,
      path: 'drover-dumps/shop.postgres.sql',
    });
    const { out } = await cli.run('dump list web www');
    expect(out).toMatch(/^shop +PostgreSQL +shop +podman db_1 +backup \(password\) +local$/m);
    const stored = [...cli.world.dumps.values()];
    expect(stored).toHaveLength(1);
    expect(stored[0]?.sealedPassword).toMatch(/^v1\./);
    expect(JSON.stringify([added, out, stored, cli.world.record.audit])).not.toContain('hunter2');
    expect(cli.world.record.actions).toContain('source.dump.add source:1');
    expect(await cli.run(ADD)).toMatchObject({ code: 5 });
    expect(await cli.run('dump remove web www shop --yes')).toMatchObject({ code: 0 });
    expect(await cli.run('dump remove web www shop --yes')).toMatchObject({ code: 4 });
    expect((await cli.run('dump list web www')).out).toContain('has no dumps');
  });

  test('add names what is wrong, and takes no source of restic', async () => {
    const wrong = await cli.run('dump add web www --name shop --kind sqlite --json');
    expect([wrong.code, wrong.out]).toEqual([2, expect.stringContaining('/database')]);
    expect(await cli.run('dump add web nothing --name shop --kind mysql')).toMatchObject({ code: 4 });
    expect(await cli.run('dump add web www --name shop --kind oracle')).toMatchObject({ code: 2 });
    await cli.run('repository add offsite --url /mnt/backup --password-file password');
    await cli.run('source add web --name offsite --path /srv --repository offsite');
    const refused = await cli.run('dump add web offsite --name shop --kind mysql');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('restic')]);
  });
});

describe('dump restore', () => {
  const restore = async (options: string) => {
    await cli.run('server features web backup=on');
    const { id } = await cli.snapshots.add({
      serverId: 1,
      sourceId: 1,
      sourceName: 'www',
      jobId: null,
      engine: 'rsync',
      name: '20261122T000000.000Z',
      startedAt: 1,
      finishedAt: 2,
      fileCount: 1,
      totalBytes: 1,
      transferredBytes: 1,
      vanishedCount: 0,
      manifestSha256: 'ab'.repeat(32),
    });
    return cli.run(`dump restore ${id} ${options} --json`);
  };

  test('refuses what Drover does not restore, and a dump that the source does not have', async () => {
    await cli.run('dump add web www --name cache --kind redis');
    await cli.run('dump add web www --name everything --kind postgres');
    await cli.run('dump add web www --name all --kind mysql');
    const redis = await restore('cache --yes');
    expect([redis.code, redis.out]).toEqual([2, expect.stringContaining('dump.rdb')]);
    expect(await restore('nothing --yes')).toMatchObject({ code: 4 });
    expect(await restore('everything --yes')).toMatchObject({ code: 2 });
    const elsewhere = await restore('all --database other --yes');
    expect([elsewhere.code, elsewhere.out]).toEqual([2, expect.stringContaining('/database')]);
  });
});
