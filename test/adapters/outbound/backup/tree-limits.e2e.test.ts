import { randomBytes } from 'node:crypto';
import { chmod, lchown, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { must } from '../../../../scripts/lib/programs.mjs';
import { FETCH } from '../../../../src/adapters/outbound/backup/host-fetch.ts';
import { TreeBackupEngine } from '../../../../src/adapters/outbound/backup/tree-backup-engine.ts';
import type { RemoteHost } from '../../../../src/application/ports/fleet/remote-host.ts';
import type { BackupSource } from '../../../../src/domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../../../src/domain/backups/snapshot.ts';
import { checkOf, listed, requestFor, sourceOf, Witness } from '../../../contracts/backup-engine.contract.ts';
import { bundled } from '../../../support/bundled.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { asNobody, impostor } from './host-troubles.ts';
import { LocalFixture } from './local-fixture.ts';

const MIB = 1024 * 1024;
const BACKUP_PROCESS = await bundled(new URL('backup-process.ts', import.meta.url));

describeWith(['rsync', 'root'], 'an rsync backup into a small store', () => {
  let fixture: LocalFixture;
  let disk: string;
  let engine: TreeBackupEngine;
  let root: string;
  let source: BackupSource;
  let watch: Witness;

  beforeEach(async () => {
    fixture = await LocalFixture.create();
    disk = await mkdtemp(join(tmpdir(), 'drover-disk-'));
    await must('mount', ['-t', 'tmpfs', '-o', 'size=48m,nr_inodes=2000', 'drover-test', disk]);
    engine = new TreeBackupEngine({ root: disk, reserve: { bytes: 8 * MIB, inodes: 50 } });
    root = join(fixture.directory, 'src');
    await mkdir(root);
    source = sourceOf([root]);
    watch = new Witness();
  });
  afterEach(async () => {
    await must('umount', [disk]);
    await rm(disk, { recursive: true });
    await fixture.close();
  });

  const backup = (host: RemoteHost = fixture.host): Promise<NewSnapshot> =>
    engine.backup(requestFor(host, source), watch);
  const used = async (): Promise<number> =>
    Number(await must('du', ['-sm', disk]).then((line) => line.split('\t')[0]));

  it('transfers nothing that would not fit', async () => {
    await fixture.write(join(root, 'a'), randomBytes(45 * MIB));
    const refused = await expectRefusal(backup(), 'disk_full');
    expect(refused.message).toMatch(/has (39\.\d|40\.0) MiB free .* needs 45\.\d MiB/);
    expect(await used()).toBeLessThan(2);
    expect(await engine.published(source)).toEqual([]);
  });

  it('takes files with holes for what they are', async () => {
    await must('truncate', ['-s', '100M', join(root, 'holes')]);
    const made = await backup();
    expect(made.totalBytes).toBe(100 * MIB);
    expect(await used()).toBeLessThan(2);
  });

  it('counts inodes as well', async () => {
    await must('bash', ['-c', 'cd "$1" && touch f{1..2100}', 'touch', root]);
    const refused = await expectRefusal(backup(), 'disk_full');
    expect(refused.message).toContain('inodes');
  });

  it('stops when the store fills up meanwhile, and goes on from there when there is room', async () => {
    for (const name of ['a', 'b', 'c']) await fixture.write(join(root, name), randomBytes(9 * MIB));
    await must('bash', ['-c', 'sleep 0.3; head -c 24M /dev/zero >"$1"', 'fill', join(disk, 'other')]).catch(
      () => '',
    );
    await rm(join(disk, 'other'));
    // the plan fits; then another takes the room
    const filling = impostor(fixture.host, `head -c 26M /dev/zero >"${join(disk, 'other')}"\n${FETCH}`);
    await expectRefusal(backup(filling), 'disk_full');
    expect(await engine.published(source)).toEqual([]);
    await rm(join(disk, 'other'));
    const made = await backup();
    expect(made.fileCount).toBe(3);
    expect(made.transferredBytes).toBeLessThan(27 * MIB);
    await engine.verify(checkOf(made, fixture.host), new Witness());
  });

  it('stops a host that sends without end', async () => {
    await fixture.write(join(root, 'a'), 'a');
    await fixture.write(join(root, 'grown'), 'small when the plan is made');
    const growing = impostor(
      fixture.host,
      `rm "${root}/grown"; head -c 200M /dev/urandom >"${root}/grown"\n${FETCH}`,
    );
    await expectRefusal(backup(growing), 'disk_full');
    await rm(join(root, 'grown'));
    expect((await backup()).fileCount).toBe(1);
  });

  it('says so when the disk of a restore fills up', async () => {
    await fixture.write(join(root, 'a'), randomBytes(30 * MIB));
    const made = await fixture.engine.backup(requestFor(fixture.host, source), watch);
    await must('bash', ['-c', 'head -c 30M /dev/zero >"$1"', 'fill', join(disk, 'other')]);
    const directory = join(disk, 'back');
    const request = { snapshot: listed(made), directory, host: fixture.host, subpaths: [], overwrite: false };
    const refused = await expectRefusal(fixture.engine.restore(request, watch), 'disk_full');
    expect(refused.message).toContain(directory);
    expect(await readdir(directory)).toEqual([]);
  });
});

describeWith(['rsync', 'root'], 'an rsync backup of a host where not everything may be read', () => {
  let fixture: LocalFixture;
  let root: string;
  let source: BackupSource;
  let nobody: RemoteHost;

  beforeEach(async () => {
    fixture = await LocalFixture.create();
    root = join(fixture.directory, 'src');
    await chmod(join(fixture.directory, '..'), 0o755);
    await fixture.write(join(root, 'open'), 'open');
    source = sourceOf([root]);
    nobody = asNobody(fixture.host);
  });
  afterEach(() => fixture.close());

  it('fails, names the file, and publishes nothing', async () => {
    await fixture.write(join(root, 'closed\nfile'), 'secret');
    await chmod(join(root, 'closed\nfile'), 0o600);
    const refused = await expectRefusal(
      fixture.engine.backup(requestFor(nobody, source), new Witness()),
      'backup_failed',
    );
    expect(refused.message).toContain('closed\\nfile: Warning: Cannot open: Permission denied');
    expect(refused.message).toMatch(/root or use sudo, or exclude/);
    expect(await fixture.engine.published(source)).toEqual([]);
  });

  it('fails before it transfers anything where a directory is closed', async () => {
    await fixture.write(join(root, 'closed/file'), 'secret');
    await chmod(join(root, 'closed'), 0o700);
    const refused = await expectRefusal(
      fixture.engine.backup(requestFor(nobody, source), new Witness()),
      'backup_failed',
    );
    expect(refused.message).toContain('closed');
    const { excludes } = sourceOf([root], ['closed']);
    const made = await fixture.engine.backup(requestFor(nobody, { ...source, excludes }), new Witness());
    expect(made.fileCount).toBe(1);
  });

  it('restores what a plain user may, and compares it', async () => {
    await lchown(join(root, 'open'), 12_345, 12_345);
    await must('mknod', [join(root, 'null'), 'c', '1', '3']);
    const made = await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
    const directory = join(fixture.directory, 'back');
    await mkdir(directory);
    await lchown(directory, 65_534, 65_534);
    const watch = new Witness();
    const request = { snapshot: listed(made), directory, host: nobody, subpaths: [], overwrite: false };
    expect(await fixture.engine.restore(request, watch)).toEqual({ files: 1, bytes: 4 });
    expect((await stat(join(directory, root, 'open'))).uid).toBe(65_534);
    expect(watch.text).toContain('owners and device files are not restored');
  });

  it('says so where a plain user may not write', async () => {
    const made = await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
    const directory = join(fixture.directory, 'closed');
    await mkdir(directory, { mode: 0o700 });
    const request = { snapshot: listed(made), directory, host: nobody, subpaths: [], overwrite: false };
    const refused = await expectRefusal(fixture.engine.restore(request, new Witness()), 'restore_failed');
    expect(refused.message).toContain('Permission denied');
  });

  it('does not put a directory in the place of a link when it restores in place', async () => {
    const made = await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
    const moved = join(fixture.directory, 'moved');
    await must('mv', [root, moved]);
    await symlink(moved, root);
    const request = {
      snapshot: listed(made),
      directory: '/',
      host: fixture.host,
      subpaths: [],
      overwrite: true,
    };
    const refused = await expectRefusal(fixture.engine.restore(request, new Witness()), 'restore_failed');
    expect(refused.message).toContain(`"${root.slice(1)}"`);
    expect(await readdir(moved)).toEqual(['open']);
  });
});

describeWith(['rsync', 'root'], 'a service that is not root', () => {
  it('keeps what it may, so that it can read and remove it later', async () => {
    const fixture = await LocalFixture.create();
    try {
      const root = join(fixture.directory, 'src');
      await fixture.write(join(root, 'closed/file'), 'content');
      await chmod(join(root, 'closed'), 0o555);
      // any user with a home directory is suitable
      await must('chown', ['-R', '1:1', join(fixture.directory, '..')]);
      const source = sourceOf([root]);
      const asUser = ['--reuid=1', '--regid=1', '--clear-groups', process.execPath];
      for (const _ of [1, 2]) {
        await must('setpriv', [...asUser, BACKUP_PROCESS, fixture.root, JSON.stringify(source)]);
      }
      const [first, second] = await fixture.engine.published(source);
      if (!first || !second) throw new Error('two snapshots were made');
      expect(second).toMatchObject({ fileCount: 1, transferredBytes: 0 });
      const kept = await stat(join(fixture.filesOf(second), root, 'closed'));
      expect([kept.uid, kept.mode & 0o777]).toEqual([1, 0o755]);
      await must('setpriv', [
        '--reuid=1',
        '--regid=1',
        '--clear-groups',
        'rm',
        '-r',
        join(fixture.filesOf(first), '..'),
      ]);
      expect(await fixture.engine.verify(checkOf(second, fixture.host), new Witness())).toEqual({
        files: 1,
        bytes: 7,
      });
    } finally {
      await fixture.close();
    }
  });
});
