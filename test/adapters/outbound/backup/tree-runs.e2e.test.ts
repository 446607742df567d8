import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, stat, symlink, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { must } from '../../../../scripts/lib/programs.mjs';
import { TreeBackupEngine } from '../../../../src/adapters/outbound/backup/tree-backup-engine.ts';
import type { BackupSource } from '../../../../src/domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../../../src/domain/backups/snapshot.ts';
import { DomainError } from '../../../../src/domain/base/errors.ts';
import { checkOf, listed, requestFor, sourceOf, Witness } from '../../../contracts/backup-engine.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { fingerprint } from './fingerprint.ts';
import { cutting, impostor, meddling, Valve, withPath } from './host-troubles.ts';
import { LocalFixture } from './local-fixture.ts';

const MIB = 1024 * 1024;

describeWith('rsync', 'an rsync backup', () => {
  let fixture: LocalFixture;
  let root: string;
  let source: BackupSource;
  let watch: Witness;

  beforeEach(async () => {
    fixture = await LocalFixture.create();
    root = join(fixture.directory, 'src');
    await mkdir(root);
    source = sourceOf([root]);
    watch = new Witness();
  });
  afterEach(() => fixture.close());

  const backup = (host = fixture.host, witness = watch): Promise<NewSnapshot> =>
    fixture.engine.backup(requestFor(host, source), witness);
  const inodeOf = async (snapshot: NewSnapshot, name: string): Promise<number> =>
    (await stat(join(fixture.filesOf(snapshot), root, name))).ino;
  /** Processes of rsync that have to do with the test's directories. */
  const leftOver = async (): Promise<string> =>
    (await must('bash', ['-c', 'pgrep -fa -- "$1" | grep -v pgrep || true', 'left', fixture.root])).trim();
  const expectNothingPublished = async (): Promise<void> => {
    expect(await fixture.engine.published(source)).toEqual([]);
    expect(await readdir(join(fixture.root, '7', String(source.id), 'snapshots'))).toEqual([]);
  };

  it('transfers one changed file of 2,000 and links the rest', async () => {
    for (let index = 0; index < 2_000; index += 1) {
      await fixture.write(join(root, `d${index % 20}`, `f${index}`), `content ${index}`);
    }
    const first = await backup();
    await fixture.write(join(root, 'd7/f7'), 'changed!!');
    const second = await backup();
    expect(second).toMatchObject({ fileCount: 2_000, transferredBytes: 9, vanishedCount: 0 });
    expect(watch.text).toContain('To transfer: 1 of 2,000 files, 9 B');
    expect(watch.text).toContain(`1,999 unchanged files are hard-linked to snapshot ${first.name}`);
    let linked = 0;
    for (let index = 0; index < 2_000; index += 1) {
      const name = join(`d${index % 20}`, `f${index}`);
      if ((await inodeOf(first, name)) === (await inodeOf(second, name))) linked += 1;
    }
    expect(linked).toBe(1_999);
    expect(await inodeOf(first, 'd7/f7')).not.toBe(await inodeOf(second, 'd7/f7'));
    expect(await fixture.read(join(fixture.filesOf(first), root, 'd7/f7'))).toBe('content 7');
  });

  it('notices a change that keeps the size and the second', async () => {
    const place = join(root, 'quick');
    await fixture.write(place, 'aaaa');
    await utimes(place, 1_000, 1_000.1);
    await backup();
    await fixture.write(place, 'bbbb');
    await utimes(place, 1_000, 1_000.2);
    const second = await backup();
    expect(await fixture.read(join(fixture.filesOf(second), place))).toBe('bbbb');
  });

  it('compares the contents of all files in every third backup, where the source asks for that', async () => {
    source = { ...source, compareContentEvery: 3 };
    for (const name of ['a', 'b']) await fixture.write(join(root, name), `content of ${name}`);
    await link(join(root, 'b'), join(root, 'b2'));
    const first = await backup();
    // Those above the source change while other tests make directories beside it.
    const manifestOf = async (made: NewSnapshot): Promise<string[]> => {
      const text = await fixture.read(join(fixture.filesOf(made), '../manifest.jsonl'));
      return (text ?? '').split('\n').filter((line) => line.includes('/host/src'));
    };
    const manifest = await manifestOf(first);
    expect(manifest).toHaveLength(4);
    const compared: boolean[] = [];
    for (let round = 0; round < 6; round += 1) {
      const witness = new Witness();
      const made = await backup(fixture.host, witness);
      compared.push(witness.text.includes('Comparing the contents of all files'));
      expect(made.transferredBytes).toBe(0);
      expect(await inodeOf(made, 'a')).toBe(await inodeOf(first, 'a'));
      expect(await manifestOf(made)).toEqual(manifest);
    }
    expect(compared).toEqual([false, false, true, false, false, true]);
  });

  it('finds by its content what no time shows', async () => {
    await fixture.write(join(root, 'a'), 'as it was');
    await fixture.write(join(root, 'b'), 'the same');
    const first = await backup();
    await fixture.write(join(root, 'a'), 'as it is!');
    const other = await fixture.engine.backup(requestFor(fixture.host, sourceOf([root])), watch);
    // as if the change had left all times and the inode as they were
    const stateOf = (of: NewSnapshot): string => join(fixture.filesOf(of), '../host-state');
    const [header = ''] = ((await fixture.read(stateOf(first))) ?? '').split('\n');
    const [, ...lines] = ((await fixture.read(stateOf(other))) ?? '').replaceAll('!', '').split('\n');
    await fixture.write(stateOf(first), [header, ...lines].join('\n'));
    expect(await fixture.read(join(fixture.filesOf(await backup()), root, 'a'))).toBe('as it was');
    source = { ...source, compareContentEvery: 1 };
    const made = await backup();
    expect(await fixture.read(join(fixture.filesOf(made), root, 'a'))).toBe('as it is!');
    expect(made.transferredBytes).toBe(9);
    expect(await inodeOf(made, 'b')).toBe(await inodeOf(first, 'b'));
    expect(await fixture.read(join(fixture.filesOf(first), root, 'a'))).toBe('as it was');
  });

  it('goes on with a large file where an ended run stopped', async () => {
    await fixture.write(join(root, 'large'), randomBytes(64 * MIB));
    const valve = new Valve(fixture.host, 40 * MIB);
    const running = backup(valve.host);
    await valve.held;
    const cancelled = new DomainError('job_cancelled', 'Cancelled.');
    watch.aborting.abort(cancelled);
    await expect(running).rejects.toBe(cancelled);
    expect(await leftOver()).toBe('');
    await expectNothingPublished();

    const again = new Witness();
    const made = await backup(fixture.host, again);
    expect(again.text).toContain('Continuing with what an interrupted backup received.');
    expect(made.transferredBytes).toBeLessThan(40 * MIB);
    expect(await fingerprint(join(fixture.filesOf(made), root))).toEqual(await fingerprint(root));
    expect(await readdir(join(fixture.root, '7', String(source.id)))).toEqual(['lock', 'snapshots']);
  });

  it('keeps what several interrupted runs have received', async () => {
    for (const name of ['a', 'b', 'c']) await fixture.write(join(root, name), randomBytes(4 * MIB));
    for (const bytes of [5 * MIB, 4.5 * MIB]) {
      await expectRefusal(backup(cutting(fixture.host, bytes)), 'host_connection_lost');
    }
    await expectNothingPublished();
    const made = await backup();
    expect(made.transferredBytes).toBeLessThan(5 * MIB);
    expect(await fingerprint(join(fixture.filesOf(made), root))).toEqual(await fingerprint(root));
  });

  it('says that the connection was lost, and leaves nothing running', async () => {
    await fixture.write(join(root, 'a'), randomBytes(8 * MIB));
    const refused = await expectRefusal(backup(cutting(fixture.host, 2 * MIB)), 'host_connection_lost');
    expect(refused.message).toBe('The connection was cut.');
    expect(await leftOver()).toBe('');
    await expectNothingPublished();
  });

  it('never changes a snapshot by what an interrupted run did with its files', async () => {
    await fixture.write(join(root, 'a'), 'a');
    await fixture.write(join(root, 'b'), randomBytes(4 * MIB));
    const first = await backup();
    const before = await fingerprint(fixture.filesOf(first));
    await fixture.write(join(root, 'b'), randomBytes(4 * MIB));
    await expectRefusal(backup(cutting(fixture.host, MIB)), 'host_connection_lost');
    await must('chmod', ['600', join(root, 'a')]);
    await backup();
    expect(await fingerprint(fixture.filesOf(first))).toEqual(before);
    await fixture.engine.verify(checkOf(first, fixture.host), new Witness());
  });

  it('does not trust what was received by its size and time', async () => {
    await fixture.write(join(root, 'a'), 'good');
    await utimes(join(root, 'a'), 1_000, 1_000);
    await fixture.write(join(root, 'b'), randomBytes(4 * MIB));
    await expectRefusal(backup(cutting(fixture.host, 2 * MIB)), 'host_connection_lost');
    const places = join(fixture.root, '7', String(source.id));
    // as after a power failure: names and times are there, contents are not
    const received = join(places, 'partial/files', root, 'a');
    await fixture.write(received, '\0\0\0\0');
    await utimes(received, 1_000, 1_000);
    const made = await backup();
    expect(await fixture.read(join(fixture.filesOf(made), root, 'a'))).toBe('good');
    expect(made.transferredBytes).toBeLessThan(3 * MIB);
  });

  it('counts files that vanish while they are read, and publishes the rest', async () => {
    await fixture.write(join(root, 'a'), randomBytes(8 * MIB));
    await fixture.write(join(root, 'z'), 'soon gone');
    const valve = new Valve(fixture.host, MIB);
    const running = backup(valve.host);
    await valve.held;
    await unlink(join(root, 'z'));
    valve.release();
    const made = await running;
    expect(made).toMatchObject({ vanishedCount: 1, fileCount: 1 });
    expect(watch.text).toContain(`1 file vanished while the source was read: "${root}/z"`);
    expect(await fixture.engine.verify(checkOf(made, fixture.host), new Witness())).toEqual({
      files: 1,
      bytes: 8 * MIB,
    });
  });

  it('leaves nothing behind if it fails before anything is received', async () => {
    await fixture.write(join(root, 'a'), 'a');
    await backup();
    await rename(root, `${root}.away`);
    await expectRefusal(backup(), 'source_missing');
    const places = join(fixture.root, '7', String(source.id));
    expect(await readdir(places)).toEqual(['lock', 'snapshots']);
    await rename(`${root}.away`, root);
    await fixture.write(join(root, 'b'), randomBytes(4 * MIB));
    await expectRefusal(backup(cutting(fixture.host, MIB)), 'host_connection_lost');
    await rename(root, `${root}.away`);
    await expectRefusal(backup(), 'source_missing');
    expect(await readdir(places)).toEqual(['lock', 'received', 'snapshots']);
  });

  it('fails when the whole source goes away meanwhile', async () => {
    await fixture.write(join(root, 'a'), 'a');
    const away = meddling(fixture.host, 'before', () => rename(root, `${root}.away`));
    await expectRefusal(backup(away), 'backup_failed');
    await expectNothingPublished();
  });

  it('looks again at a file that shrinks while it is read', async () => {
    await fixture.write(join(root, 'log'), randomBytes(8 * MIB));
    const valve = new Valve(fixture.host, MIB);
    const running = backup(valve.host);
    await valve.held;
    await fixture.write(join(root, 'log'), 'rotated');
    valve.release();
    const made = await running;
    expect(await fixture.read(join(fixture.filesOf(made), root, 'log'))).toBe('rotated');
    await fixture.engine.verify(checkOf(made, fixture.host), new Witness());
  });

  it('reads a path behind symbolic links by its real name, excludes included', async () => {
    await fixture.write(join(fixture.directory, 'real/www/page'), 'page');
    await fixture.write(join(fixture.directory, 'real/www/cache/c'), 'c');
    await symlink('real', join(fixture.directory, 'link'));
    await symlink('link/www', join(fixture.directory, 'current'));
    const real = join(fixture.directory, 'real/www');
    for (const name of ['link/www', 'current']) {
      const path = join(fixture.directory, name);
      source = sourceOf([path], [`${path}/cache`]);
      const made = await backup();
      expect(await fixture.read(join(fixture.filesOf(made), real, 'page'))).toBe('page');
      expect(await fixture.read(join(fixture.filesOf(made), real, 'cache/c'))).toBeNull();
    }
    expect(watch.text).toContain(
      `"${fixture.directory}/link/www" contains a symbolic link; it is stored as "${real}".`,
    );
    expect(watch.text).toContain(`"${fixture.directory}/current" is a symbolic link`);
  });

  it('never backs the store up into itself', async () => {
    await fixture.write(join(root, 'a'), 'a');
    await backup();
    source = sourceOf([join(root, '..'), join(fixture.root, '..')]);
    const made = await backup();
    expect(made.fileCount).toBe(1);
  });

  it('sweeps what was received for a source that is gone', async () => {
    await fixture.write(join(root, 'a'), randomBytes(4 * MIB));
    await expectRefusal(backup(cutting(fixture.host, MIB)), 'host_connection_lost');
    await fixture.engine.sweep([source]);
    expect(await readdir(join(fixture.root, '7'))).toEqual([String(source.id)]);
    await fixture.engine.sweep([]);
    expect(await readdir(join(fixture.root, '7'))).toEqual([]);
  });

  it('leaves what is being worked on alone when it sweeps', async () => {
    await fixture.write(join(root, 'a'), randomBytes(4 * MIB));
    const valve = new Valve(fixture.host, MIB);
    const running = backup(valve.host);
    await valve.held;
    await fixture.engine.sweep([]);
    valve.release();
    expect((await running).fileCount).toBe(1);
  });

  it('is never made twice at once of the same source', async () => {
    await fixture.write(join(root, 'a'), randomBytes(4 * MIB));
    const valve = new Valve(fixture.host, MIB);
    const running = backup(valve.host);
    await valve.held;
    const hasty = new TreeBackupEngine({ root: fixture.root, patienceMs: 0 });
    const refused = await expectRefusal(
      hasty.backup(requestFor(fixture.host, source), watch),
      'backup_failed',
    );
    expect(refused.message).toContain('Another backup of this source is running');
    const patient = new TreeBackupEngine({ root: fixture.root });
    const second = patient.backup(requestFor(fixture.host, source), watch);
    valve.release();
    expect((await running).transferredBytes).toBe(4 * MIB);
    expect((await second).transferredBytes).toBe(0);
  });

  it('takes a removed snapshot off the list before its files go', async () => {
    await fixture.write(join(root, 'a'), 'a');
    const made = await backup();
    const trash = join(fixture.root, '7', String(source.id), 'trash');
    await mkdir(trash);
    // as a removal that was killed leaves it
    await rename(join(fixture.filesOf(made), '..'), join(trash, 'half'));
    expect(await fixture.engine.published(source)).toEqual([]);
    await fixture.engine.remove(listed(made));
    await fixture.engine.sweep([source]);
    expect(await readdir(trash)).toEqual([]);
  });

  it('lists no directory that is not a whole snapshot', async () => {
    await fixture.write(join(root, 'a'), 'a');
    const made = await backup();
    const snapshots = join(fixture.filesOf(made), '../..');
    for (const name of ['20260101T000000.000Z', 'notes', '..x']) await mkdir(join(snapshots, name));
    await fixture.write(join(snapshots, '20260101T000000.001Z/snapshot.json'), '{"format":1}');
    await fixture.write(join(snapshots, '20260101T000000.002Z/snapshot.json'), 'no json');
    await must('cp', ['-a', join(snapshots, made.name), join(snapshots, '20260101T000000.003Z')]);
    await symlink(made.name, join(snapshots, '20260101T000000.004Z'));
    expect(await fixture.engine.published(source)).toEqual([made]);
  });

  it('can do without the previous snapshot when that is damaged or vanishes meanwhile', async () => {
    await fixture.write(join(root, 'a'), 'a');
    await fixture.write(join(root, 'b'), 'b');
    const first = await backup();
    await rm(join(fixture.filesOf(first), '../manifest.jsonl'));
    const second = await backup();
    await fixture.engine.verify(checkOf(second, fixture.host), new Witness());
    await fixture.write(join(root, 'a'), 'aa');
    const removing = meddling(fixture.host, 'before', () => fixture.engine.remove(listed(second)));
    const third = await backup(removing);
    expect(await fixture.engine.verify(checkOf(third, fixture.host), new Witness())).toEqual({
      files: 2,
      bytes: 3,
    });
  });

  it('refuses a path that would be too long in the store', async () => {
    // Below the store a path grows by its snapshot's place: with a first directory of one letter it just fits.
    const below = join(fixture.root, '7', String(source.id), 'snapshots', '20260101T000000.000Z', 'files');
    const length = 4_065 - below.length + 89;
    const deepen =
      'cd "$1"; while left=$(($2 - 5 - ${#PWD})); [ $left -gt 182 ]; do mkdir "$3"; cd "$3"; done; ' +
      'last=$(printf "%*s" $((left - 1)) "" | tr " " e); mkdir "$last"; cd "$last"; echo x >file';
    await must('bash', ['-c', deepen, 'deepen', root, String(length), 'd'.repeat(90)]);
    await must('bash', ['-c', 'cd "$1"; mv d* a', 'shorten', root]);
    const fits = await backup();
    expect(fits.fileCount).toBe(1);
    await fixture.engine.verify(checkOf(fits, fixture.host), watch);
    await must('bash', ['-c', 'cd "$1"; mv a "$2"', 'lengthen', root, 'd'.repeat(90)]);
    const refused = await expectRefusal(backup(), 'backup_failed');
    expect(refused.message).toContain('too long for the backup store');
    expect(await fixture.engine.published(source)).toEqual([fits]);
    // Its received data does no harm.
    await must('bash', ['-c', 'cd "$1"; mv d* a', 'shorten', root]);
    expect((await backup()).fileCount).toBe(1);
    await must('rm', ['-rf', '--', fixture.root]);
  });

  it('says what to install where the host has no tar', async () => {
    const bin = join(fixture.directory, 'bin');
    await mkdir(bin);
    for (const tool of ['sh', 'xargs', 'readlink', 'head', 'cat', 'stat'])
      await symlink(`/usr/bin/${tool}`, join(bin, tool));
    const refused = await expectRefusal(backup(withPath(fixture.host, bin)), 'host_tool_missing');
    expect(refused.message).toContain('tar is not installed on the host');
  });

  it.each([
    ['prints what is not rsync', 'head -c 100000 /dev/urandom; exit 0'],
    ['ends at once', 'exit 3'],
    ['complains without end, then ends', 'yes "rsync: no such luck" | head -c 50000000 >&2; exit 1'],
    ['is killed', 'kill -KILL $$'],
  ])('fails cleanly on a host that %s', async (_, script) => {
    await fixture.write(join(root, 'a'), 'a');
    await expectRefusal(backup(impostor(fixture.host, script)), 'backup_failed');
    expect(await leftOver()).toBe('');
    await expectNothingPublished();
  });

  it('can be ended while the host says nothing', async () => {
    await fixture.write(join(root, 'a'), 'a');
    const reason = new DomainError('job_cancelled', 'Cancelled.');
    const silent = meddling(impostor(fixture.host, 'exec sleep 300'), 'before', async () => {
      setTimeout(() => watch.aborting.abort(reason), 200);
    });
    await expect(backup(silent)).rejects.toBe(reason);
    expect(await leftOver()).toBe('');
  });
});
