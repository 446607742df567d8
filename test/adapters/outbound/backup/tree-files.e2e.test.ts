import { createHash } from 'node:crypto';
import {
  chmod,
  lchown,
  link,
  lutimes,
  mkdir,
  readdir,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { must } from '../../../../scripts/lib/programs.mjs';
import type { NewSnapshot } from '../../../../src/domain/backups/snapshot.ts';
import { checkOf, listed, requestFor, sourceOf, Witness } from '../../../contracts/backup-engine.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { fingerprint } from './fingerprint.ts';
import { meddling, withPath } from './host-troubles.ts';
import { LocalFixture } from './local-fixture.ts';

const NAMES = [
  'new\nline',
  'carriage\rreturn',
  'quote\'double"back`tick',
  '$(touch executed)',
  '; touch executed;',
  '-rf',
  '--delete',
  '#comment',
  ';semicolon',
  ' leading and trailing ',
  'back\\slash',
  '\\#012',
  'star*',
  '[abc]?',
  'ünï€😀',
  'a:b',
  '.rsync-filter',
  '.new.Ab12Cd',
  '%s%n',
  '~',
  '...',
  'x'.repeat(255),
];
const BYTES = [Buffer.from([0xff, 0xfe, 0x0a, 0x80]), Buffer.from('latin1-\xe9', 'latin1')];

describeWith('rsync', 'rsync keeps files as they are', () => {
  let fixture: LocalFixture;
  let root: string;
  let made: NewSnapshot;
  const watch = new Witness();

  beforeAll(async () => {
    fixture = await LocalFixture.create();
    root = join(fixture.directory, 'src');
    await fill(root);
    made = await fixture.engine.backup(requestFor(fixture.host, sourceOf([root])), watch);
  });
  afterAll(() => fixture.close());

  const restored = async (place: string, snapshot = made): Promise<string> => {
    const directory = join(fixture.directory, place);
    const request = {
      snapshot: listed(snapshot),
      directory,
      host: fixture.host,
      subpaths: [],
      overwrite: false,
    };
    await fixture.engine.restore(request, new Witness());
    return join(directory, root);
  };

  it('keeps them in the store with everything that they are', async () => {
    const source = await fingerprint(root);
    expect(source.length).toBeGreaterThan(3 * NAMES.length);
    expect(await fingerprint(join(fixture.filesOf(made), root))).toEqual(source);
    expect(made.vanishedCount).toBe(0);
    expect((await stat(join(fixture.filesOf(made), root, 'sparse'))).blocks).toBeLessThan(100);
  });

  it('finds them as they are when it verifies', async () => {
    const verified = await fixture.engine.verify(checkOf(made, fixture.host), new Witness());
    expect(verified).toEqual({ files: made.fileCount, bytes: made.totalBytes });
  });

  it('restores them as they were, byte for byte, with modes and times', async () => {
    expect(await fingerprint(await restored('back'))).toEqual(await fingerprint(root));
  });

  it('restores a tree that is in the way of another one', async () => {
    const directory = join(fixture.directory, 'over');
    const place = join(directory, root);
    await mkdir(join(place, 'star*'), { recursive: true });
    await writeFile(join(place, 'empty'), 'a file where a directory was');
    await symlink('/etc/passwd', join(place, '-rf'));
    const request = { snapshot: listed(made), directory, host: fixture.host, subpaths: [], overwrite: true };
    await fixture.engine.restore(request, new Witness());
    expect(await fingerprint(place)).toEqual(await fingerprint(root));
  });

  it('links all of it to the next snapshot, odd names as well', async () => {
    const source = { ...sourceOf([root]), id: made.sourceId };
    const next = await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
    expect(next).toMatchObject({
      transferredBytes: 0,
      fileCount: made.fileCount,
      totalBytes: made.totalBytes,
    });
    for (const name of NAMES) {
      const [before, after] = await Promise.all(
        [made, next].map((snapshot) => stat(join(fixture.filesOf(snapshot), root, name))),
      );
      expect(after?.ino).toBe(before?.ino);
    }
    expect(await fingerprint(await restored('next', next))).toEqual(await fingerprint(root));
  });

  it('runs nothing that a name asks for', async () => {
    const names = await must('find', [
      fixture.directory,
      fixture.root,
      '/',
      '-maxdepth',
      '1',
      '-name',
      'executed*',
    ]);
    expect(names).toBe('');
  });

  it('takes a source path literally, whatever is in it', async () => {
    const odd = ['[abc]?', '-rf', '$(touch executed)', 'new\nline', ' leading and trailing ', '#comment'];
    const paths = odd.map((name) => join(root, name));
    const source = sourceOf(paths);
    const snapshot = await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
    expect(snapshot.fileCount).toBe(odd.length);
    expect((await readdir(join(fixture.filesOf(snapshot), root))).sort()).toEqual([...odd].sort());
    const directory = join(fixture.directory, 'odd [x]* $(touch executed)\n-d');
    const subpaths = paths.map((path) => path.slice(1));
    const request = { snapshot: listed(snapshot), directory, host: fixture.host, subpaths, overwrite: false };
    expect(await fixture.engine.restore(request, new Witness())).toMatchObject({ files: odd.length });
    expect((await readdir(join(directory, root))).sort()).toEqual([...odd].sort());
  });

  it('lets no other user look into the store', async () => {
    const { serverId, sourceId } = made;
    for (const directory of [fixture.root, join(fixture.root, String(serverId), String(sourceId))]) {
      expect((await stat(directory)).mode & 0o777).toBe(0o700);
    }
  });

  it('says in the log what it did, in a line each', () => {
    expect(watch.text).toMatch(/^Reading "\/.*" on the host \(GNU tar \d+\.\d+\)\.$/m);
    expect(watch.text).toMatch(/^To transfer: \d+ of \d+ files, /m);
    expect(watch.text).toMatch(/^Snapshot \d{8}T\d{6}\.\d{3}Z is complete: \d+ files, /m);
    for (const line of watch.lines) expect(line).not.toMatch(/[\n\r]/);
  });
});

describeWith(['rsync', 'busybox'], 'rsync on a host that has busybox and nothing else', () => {
  let fixture: LocalFixture;
  beforeAll(async () => {
    fixture = await LocalFixture.create();
  });
  afterAll(() => fixture.close());

  it('keeps and restores files as they are, and detects differences', async () => {
    const root = join(fixture.directory, 'src');
    await fill(root);
    const bin = join(fixture.directory, 'bin');
    await mkdir(bin);
    await must('busybox', ['--install', '-s', bin]);
    const host = withPath(fixture.host, bin);
    const snapshot = await fixture.engine.backup(requestFor(host, sourceOf([root])), new Witness());
    // its stat reports no fractions of a second
    expect(inSeconds(await fingerprint(join(fixture.filesOf(snapshot), root)))).toEqual(
      inSeconds(await fingerprint(root)),
    );
    const directory = join(fixture.directory, 'busybox');
    const request = { snapshot: listed(snapshot), directory, host, subpaths: [], overwrite: false };
    expect(await fixture.engine.restore(request, new Witness())).toEqual({
      files: snapshot.fileCount - 1,
      bytes: snapshot.totalBytes,
    });
    const isSocket = (line: string): boolean => line.startsWith('socket|');
    expect(withoutLinks(await fingerprint(join(directory, root)))).toEqual(
      withoutLinks(await fingerprint(root)).filter((line) => !isSocket(line)),
    );
    await writeFile(join(directory, root, 'new\nline'), 'another content');
    const damaged = meddling(
      host,
      'after',
      async () => writeFile(join(directory, root, '$(touch executed)'), 'content of $(touch Executed)'),
      1,
    );
    const again = { ...request, host: damaged, overwrite: true };
    const refused = await expectRefusal(fixture.engine.restore(again, new Witness()), 'restore_failed');
    expect(refused.message).toContain('$(touch executed)" has different content');
    expect(refused.message).not.toContain('line');
  });
});

const inSeconds = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(/(\|\d+)\.\d{10}/, '$1'));

/** Nor does its tar set owners and times of links, which it makes last. */
const withoutLinks = (lines: readonly string[]): readonly string[] =>
  inSeconds(lines).map((line) => line.replace(/\|l\|777\|.*\||(?<=\|d\|.*)\|\d+$/, '|'));

async function fill(root: string): Promise<void> {
  await mkdir(join(root, 'empty'), { recursive: true });
  await mkdir(join(root, 'deep/er/still'), { recursive: true });
  for (const name of NAMES) await writeFile(join(root, name), `content of ${name}`);
  for (const name of BYTES) {
    await writeFile(Buffer.concat([Buffer.from(`${root}/`), name]), name);
    await symlink(name, Buffer.concat([Buffer.from(`${root}/link-`), name]));
  }
  await symlink('nowhere', join(root, 'dangling'));
  await symlink('/', join(root, 'to-root'));
  await symlink('../../..', join(root, 'deep/up'));
  await must('mkfifo', [join(root, 'fifo')]);
  await bindSocket(join(root, 'socket'));
  await writeFile(join(root, 'deep/er/one'), 'one file');
  await link(join(root, 'deep/er/one'), join(root, 'deep/two'));
  await link(join(root, 'deep/er/one'), join(root, 'three'));
  await writeFile(join(root, 'nothing'), '');
  await writeFile(join(root, 'sparse'), 'start');
  await truncate(join(root, 'sparse'), 8 * 1024 * 1024);
  await writeFile(join(root, 'random'), createHash('sha512').update('seed').digest());
  await chmod(join(root, 'random'), 0o4755);
  await chmod(join(root, 'nothing'), 0o000);
  await chmod(join(root, 'empty'), 0o1777);
  await utimes(join(root, 'random'), 1, 1.5);
  await utimes(join(root, 'three'), 4_000_000_000, 4_000_000_000.25);
  await lutimes(join(root, 'dangling'), 1_000_000_000, 1_000_000_000);
  if (process.getuid?.() === 0) {
    await must('mknod', [join(root, 'null'), 'c', '1', '3']);
    await lchown(join(root, 'dangling'), 12_345, 54_321);
    await lchown(join(root, 'star*'), 4_294_967_294, 1);
  }
  await utimes(join(root, 'deep'), 5, 5);
}

/** The name stays when the listener exits without closing. */
async function bindSocket(path: string): Promise<void> {
  const listen = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  await must(process.execPath, ['-e', listen, path]).catch(() => undefined);
}

describeWith('busybox', 'A file on a host without ACLs', () => {
  it('is copied here and not fetched again if its permissions alone changed', async () => {
    const fixture = await LocalFixture.create({ busybox: true });
    onTestFinished(() => fixture.close());
    const watch = new Witness();
    const place = join(fixture.directory, 'src/file');
    const request = requestFor(fixture.host, sourceOf([join(fixture.directory, 'src')]));
    await fixture.write(place, 'as it was');
    await fixture.engine.backup(request, watch);
    await chmod(place, 0o640);
    const second = await fixture.engine.backup(request, watch);
    expect(second).toMatchObject({ fileCount: 1, transferredBytes: 0 });
    const copy = join(fixture.filesOf(second), place);
    expect((await stat(copy)).mode & 0o777).toBe(0o640);
    expect(await fixture.read(copy)).toBe('as it was');
    await fixture.engine.verify(checkOf(second, fixture.host), watch);
  });
});
