import { beforeEach, describe, expect, test } from 'vitest';
import { CliFixture } from './cli-fixture.ts';

let cli: CliFixture;

beforeEach(async () => {
  cli = new CliFixture();
  cli.io.files.set('/home/tester/password', 'pass word\n');
  cli.io.files.set('/home/tester/secret', 'secret\n');
  cli.hosts.host('web');
  await cli.run('server add web --host web.test --yes --no-check');
});

const ADD =
  'repository add offsite --url rest:https://backup.example.org/web --password-file password --login web --login-file secret';

describe('repository', () => {
  test('add, list and remove, and no secret is shown', async () => {
    expect((await cli.run('repository list')).out).toContain('drover repository add NAME --url URL');
    const added = await cli.json(ADD);
    expect(added).toMatchObject({ name: 'offsite', kind: 'rest', initialised_at: null });
    expect(JSON.stringify(added)).not.toMatch(/pass word|secret/);
    expect((await cli.run('repository list')).out).toMatch(/^offsite +rest +rest:https:.* +not used yet/m);
    expect(await cli.run(ADD)).toMatchObject({ code: 5 });
    expect(await cli.run('repository remove offsite --yes')).toMatchObject({ code: 0 });
    expect(await cli.run('repository remove offsite --yes')).toMatchObject({ code: 4 });
  });

  test('add says how to give the secret without a terminal', async () => {
    const { code, err } = await cli.run('repository add disk --url /mnt/backup --json');
    expect([code, err]).toEqual([2, expect.stringContaining('--password-file FILE')]);
    const without = await cli.run('repository add disk --url /mnt/backup --login-file secret');
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('--login')]);
  });

  test('keeps a source in it, and is not removed meanwhile', async () => {
    await cli.run(ADD);
    const source = await cli.json('source add web --name www --path /srv/www --repository offsite');
    expect(source).toMatchObject({ engine: 'restic', repository_id: 1 });
    expect((await cli.run('source list web')).out).toMatch(/^www +offsite /m);
    expect(await cli.run('repository remove offsite --yes')).toMatchObject({ code: 5 });
    const unknown = await cli.run('source add web --name etc --path /etc --repository other');
    expect([unknown.code, unknown.err]).toEqual([4, expect.stringContaining('"other"')]);
  });

  test('check needs to know which server is to look', async () => {
    await cli.run(ADD);
    expect(await cli.run('repository check offsite')).toMatchObject({ code: 2 });
    expect(await cli.run('repository check nothing --server web')).toMatchObject({ code: 4 });
  });
});

describe('source edit', () => {
  test('changes what is named, and leaves the rest', async () => {
    await cli.run('source add web --name www --path /srv/www --exclude "*.tmp"');
    const edited = await cli.json('source edit web www --path /srv/web --keep-daily 30');
    expect(edited).toMatchObject({
      paths: ['/srv/web'],
      excludes: ['*.tmp'],
      retention: { keep_last: 3, keep_daily: 30 },
    });
    expect(await cli.json('source edit web www --include-all')).toMatchObject({ excludes: [] });
    const none = await cli.run('source edit web www');
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('Nothing to change')]);
    expect(await cli.run('source edit web other --keep-last 1')).toMatchObject({ code: 4 });
    expect(await cli.run('source edit web www --path relative')).toMatchObject({ code: 2 });
    expect(await cli.run('source edit web www --exclude a --include-all')).toMatchObject({ code: 2 });
  });
});

describe('source preview', () => {
  test('says what a source leaves out, with the patterns it has or with others', async () => {
    await cli.run('source add web --name www --path /srv/www --exclude "*.tmp"');
    expect(await cli.json('source preview web www')).toMatchObject({
      server_id: 1,
      paths: ['/srv/www'],
      kept: { files: 3, bytes: 5000 },
      left_out: { files: 1, bytes: 1024 },
      patterns: [{ pattern: '*.tmp', matches: 1, files: 1, bytes: 1024 }],
      largest: [{ path: '/srv/www/*.tmp', escaped: false, kind: 'file' }],
      complete: true,
    });
    const other = await cli.run('source preview web www --exclude nothing');
    expect([other.code, other.out]).toEqual([0, expect.stringMatching(/nothing +matches nothing/)]);
    const unsaved = await cli.json('source preview web --path /etc --exclude "*.log"');
    expect(unsaved).toMatchObject({ paths: ['/etc'], patterns: [{ pattern: '*.log' }] });
    expect(await cli.json('source list web')).toMatchObject({ total: 1 });
    expect(await cli.json('source preview web')).toMatchObject({ paths: ['/srv/www'] });
    await cli.run('source add web --name etc --path /etc --compare-content-every 7');
    const several = await cli.run('source preview web');
    expect([several.code, several.err]).toEqual([2, expect.stringContaining('www')]);
    const { out } = await cli.run('source list web');
    expect(out).toMatch(/^etc .*contents every 7 backups/m);
    expect(out).toMatch(/^www .*sizes and times/m);
    expect(await cli.run('source preview web other')).toMatchObject({ code: 4 });
    expect(await cli.run('source preview web --path relative')).toMatchObject({ code: 2 });
  });
});
