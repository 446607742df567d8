import { beforeEach, describe, expect, test } from 'vitest';
import { DomainError } from '../../../../src/domain/base/errors.ts';
import { CliFixture } from './cli-fixture.ts';

interface Dump {
  readonly sealed_password: string;
}

let cli: CliFixture;
const ADD =
  'dump add web www --name shop --kind postgres --podman db_1 --database shop --user backup --password-file password';

beforeEach(async () => {
  cli = new CliFixture();
  cli.io.files.set('/home/tester/password', 'hunter2hunter2\n');
  cli.hosts.host('web');
  await cli.run('server add web --host web.test --yes --no-check');
  await cli.run('source add web --name www --path /srv/www');
});

describe('dump', () => {
  test('add, list and remove, and the password is never shown', async () => {
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
    const stored = cli.kept.rows<Dump>('SELECT * FROM backup_dumps');
    expect(stored).toHaveLength(1);
    expect(stored[0]?.sealed_password).toMatch(/^v1\./);
    expect(JSON.stringify([added, out, stored, cli.kept.audit])).not.toContain('hunter2');
    expect(cli.kept.actions).toContain('source.dump.add source:1');
    expect(await cli.run(ADD)).toMatchObject({ code: 5 });
    expect(await cli.run('dump remove web www shop --yes')).toMatchObject({ code: 0 });
    expect(await cli.run('dump remove web www shop --yes')).toMatchObject({ code: 4 });
    expect((await cli.run('dump list web www')).out).toContain('has no dumps');
  });

  test('edit changes what is said, and asks for the password again for another place', async () => {
    await cli.run(ADD);
    const sealed = () => cli.kept.rows<Dump>('SELECT * FROM backup_dumps')[0]?.sealed_password;
    const before = sealed();
    expect(await cli.json('dump edit web www shop --database cart --no-user --port 5433')).toMatchObject({
      errors: [{ path: '/password' }],
    });
    const edited = await cli.json('dump edit web www shop --database cart --no-user');
    expect(edited).toMatchObject({ database: 'cart', user: null, container: 'db_1', has_password: true });
    expect(sealed()).toBe(before);
    const moved = await cli.json('dump edit web www shop --no-container --password-file password');
    expect(moved).toMatchObject({ client: 'host', container: null, has_password: true });
    expect(await cli.json('dump edit web www shop --no-password')).toMatchObject({ has_password: false });
    expect(cli.kept.actions).toContain('source.dump.edit source:1');
    expect(JSON.stringify(cli.kept.audit)).not.toContain('hunter2');
    expect(await cli.run('dump edit web www shop')).toMatchObject({ code: 2 });
    expect(await cli.run('dump edit web www nothing --no-user')).toMatchObject({ code: 4 });
  });

  test('are shown with their source', async () => {
    await cli.run(ADD);
    await cli.run('source edit web www --stop compose:shop');
    const told = { name: 'shop', kind: 'postgres', has_password: true };
    expect(await cli.json('source list web')).toMatchObject({ sources: [{ dumps: [told] }] });
    const shown = await cli.json('source show web www');
    expect(shown).toMatchObject({ dumps: [told], hooks: [{ kind: 'compose', name: 'shop' }] });
    const { out } = await cli.run('source show web www');
    expect(out).toMatch(/^shop +PostgreSQL +shop +podman db_1/m);
    expect(out).toMatch(/^Stops: +compose:shop$/m);
    expect((await cli.run('source list web')).out).toMatch(/DUMPS[\s\S]* shop /);
    expect(JSON.stringify([shown, out])).not.toContain('hunter2');
    expect(await cli.run('source show web nothing')).toMatchObject({ code: 4 });
    const maria = await cli.json('dump add web www --name cart --kind mariadb --database cart');
    expect(maria).toMatchObject({ kind: 'mysql' });
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

describe('source check', () => {
  const FAULT = new DomainError(
    'dump_failed',
    'The dump "shop" of PostgreSQL failed: the client ended with 1: no such database.',
  );

  test('tests dumps and hooks on the host, and ends with 1 if one would fail', async () => {
    await cli.run(ADD);
    await cli.run('source edit web www --stop unit:shop');
    const well = await cli.json('source check web');
    expect(well).toMatchObject({
      ok: true,
      source: 'www',
      checks: [
        { kind: 'hook', name: 'unit shop.service', ok: true, code: null },
        { kind: 'dump', name: 'shop (PostgreSQL)', ok: true },
      ],
    });
    cli.checks.faults.set('shop', FAULT);
    const { code, out } = await cli.run('source check web www');
    expect([code, out]).toEqual([1, expect.stringMatching(/^dump shop .*fails .*no such database\.$/m)]);
    expect(await cli.run('source check web nothing')).toMatchObject({ code: 4 });
  });

  test('comes with saving, which a fault or an unreachable host does not undo', async () => {
    cli.checks.faults.set('shop', FAULT);
    cli.checks.faults.set(
      'gone.service',
      new DomainError('hook_failed', 'unit gone.service is not on the host.'),
    );
    const added = await cli.run(ADD);
    expect([added.code, added.out]).toEqual([0, expect.stringContaining('no such database')]);
    const edited = await cli.run('source edit web www --stop unit:gone');
    expect([edited.code, edited.out]).toEqual([0, expect.stringContaining('is not on the host')]);
    cli.hosts.host('web').unreachable();
    const away = await cli.run('source add web --name other --path /srv --stop unit:shop');
    expect([away.code, away.out]).toEqual([0, expect.stringContaining('not tested')]);
    expect(await cli.json('source list web')).toMatchObject({ total: 2 });
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
