import { beforeEach, describe, expect, test } from 'vitest';
import { snapshotSchema } from '../../../../src/adapters/inbound/api/views/snapshot-view.ts';
import { CliFixture, NOW } from './cli-fixture.ts';

let cli: CliFixture;

beforeEach(async () => {
  cli = new CliFixture();
  cli.hosts.host('web');
  await cli.run('server add web --host web.test --yes --no-check');
  await cli.run('source add web --name www --path /srv/www');
  await cli.snapshots.add({
    serverId: 1,
    sourceId: 1,
    sourceName: 'www',
    jobId: null,
    engine: 'rsync',
    name: '2026-11-20T120000Z-1',
    startedAt: NOW,
    finishedAt: NOW + 5000,
    fileCount: 2000,
    totalBytes: 3 * 1024 ** 2,
    transferredBytes: 1024,
    vanishedCount: 0,
    manifestSha256: 'ab'.repeat(32),
  });
});

describe('snapshot', () => {
  test('list and show', async () => {
    expect((await cli.run('snapshot list web')).out).toMatch(
      /^ 1 +www +20 Nov 2026, \d\d:\d\d \S+ +2000 +3\.0 MiB +1\.0 KiB +never$/m,
    );
    const { snapshots, total } = await cli.json('snapshot list 1');
    expect([total, snapshotSchema.parse(snapshots[0])]).toMatchObject([1, { id: 1, source: 'www' }]);
    const { out } = await cli.run('snapshot show 1');
    expect(out).toContain('drover restore 1 --to DIRECTORY');
    expect(out).toMatch(/^Server: +web$/m);
    expect(snapshotSchema.parse(await cli.json('snapshot show 1'))).toMatchObject({
      id: 1,
      file_count: 2000,
    });
    expect(await cli.run('snapshot show 2')).toMatchObject({ code: 4 });
  });
});

describe('snapshot pin, unpin and delete', () => {
  test('keep it from retention, and remove it for good after a confirmation', async () => {
    expect(snapshotSchema.parse(await cli.json('snapshot pin 1')).pinned_at).toBe(
      new Date(NOW).toISOString(),
    );
    expect(await cli.run('snapshot delete 1 --last --yes')).toMatchObject({ code: 5 });
    expect(await cli.json('snapshot unpin 1')).toMatchObject({ pinned_at: null });
    expect(await cli.run('snapshot delete 1')).toMatchObject({ code: 2 });
    expect(await cli.run('snapshot delete 1 --yes')).toMatchObject({ code: 5 });
    expect(await cli.json('snapshot delete 1 --last --yes')).toMatchObject({ ok: true, snapshot: { id: 1 } });
    expect(await cli.run('snapshot show 1')).toMatchObject({ code: 4 });
  });
});

describe('restore', () => {
  test('puts files below a directory of this machine', async () => {
    const { code, out } = await cli.run('restore 1 --to restored');
    expect(code).toBe(0);
    expect(out).toBe(
      'one file differs in its owner\nRestored 3 files (2.0 KiB) below /home/tester/restored, and compared them with the snapshot.\n',
    );
    expect(cli.orders).toEqual([
      { snapshotId: 1, where: 'here', directory: '/home/tester/restored', subpaths: [], overwrite: false },
    ]);
  });

  test('names the option that allows a directory that is not empty', async () => {
    const { code, err } = await cli.run('restore 1 --to /tmp/full');
    expect([code, err]).toEqual([5, expect.stringContaining('--overwrite')]);
  });

  test('takes parts of the snapshot, with or without their leading slash', async () => {
    await cli.run('restore 1 --to /tmp/x --path /srv/www/index.html --path srv/www/img/ --overwrite');
    expect(cli.orders[0]).toMatchObject({ subpaths: ['srv/www/index.html', 'srv/www/img'], overwrite: true });
    expect(await cli.run('restore 1 --to /tmp/x --path /')).toMatchObject({ code: 2 });
  });

  test('puts files on the host', async () => {
    expect(await cli.json('restore 1 --on-host --to /var/tmp/restored')).toEqual({
      ok: true,
      snapshot_id: 1,
      where: 'host',
      directory: '/var/tmp/restored',
      files: 3,
      bytes: 2048,
    });
  });

  test('in place happens only when it is meant', async () => {
    expect(await cli.run('restore 1 --in-place')).toMatchObject({ code: 2 });
    cli.io.interactive = true;
    cli.io.answers.push('no', 'yes');
    expect(await cli.run('restore 1 --in-place --path /etc/nginx')).toMatchObject({ code: 3 });
    expect(cli.orders).toEqual([]);
    expect(await cli.run('restore 1 --in-place --path /etc/nginx')).toMatchObject({ code: 0 });
    expect(cli.orders).toEqual([
      { snapshotId: 1, where: 'host', directory: '/', subpaths: ['etc/nginx'], overwrite: true },
    ]);
    expect(cli.io.questions[0]?.question).toContain(
      'Write snapshot 1 (etc/nginx) over the files of server 1?',
    );
  });

  test('shows its progress on a terminal', async () => {
    cli.io.columns = 60;
    expect((await cli.run('restore 1 --to x')).err).toContain('\r\u001b[K50 %  copying');
  });

  test('of a snapshot that is not there is refused', async () => {
    expect(await cli.run('restore 2 --to x')).toMatchObject({
      code: 4,
      err: expect.stringContaining('snapshot_not_found'),
    });
    expect(cli.orders).toEqual([]);
  });
});
