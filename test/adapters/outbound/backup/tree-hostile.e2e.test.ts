import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ByteString } from '../../../../src/adapters/outbound/backup/byte-string.ts';
import { FETCH, FETCH_REST } from '../../../../src/adapters/outbound/backup/host-fetch.ts';
import {
  type TarMember,
  tarEnd,
  tarHeader,
  tarPadding,
} from '../../../../src/adapters/outbound/backup/tar-header.ts';
import type { HostCommand, RemoteHost } from '../../../../src/application/ports/fleet/remote-host.ts';
import type { BackupSource } from '../../../../src/domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../../../src/domain/backups/snapshot.ts';
import { checkOf, requestFor, sourceOf, Witness } from '../../../contracts/backup-engine.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { fingerprint } from './fingerprint.ts';
import { cutting, instead } from './host-troubles.ts';
import { LocalFixture } from './local-fixture.ts';

const MIB = 1024 * 1024;
const isFetch = ({ script }: HostCommand): boolean => script === FETCH;
const isListing = ({ script }: HostCommand): boolean => script.includes('-regextype');

/** Answers of a host that tries to write elsewhere, or to keep the service busy. */
describe('a hostile host', () => {
  let fixture: LocalFixture;
  let root: string;
  let answer: string;
  let source: BackupSource;
  let outside: readonly string[];

  beforeEach(async () => {
    fixture = await LocalFixture.create();
    root = join(fixture.directory, 'src');
    await fixture.write(join(root, 'a'), 'good');
    await fixture.write(join(root, 'sub/b'), 'good too');
    answer = join(fixture.directory, '..', 'answer');
    source = sourceOf([root]);
    outside = await around();
  });
  afterEach(() => fixture.close());

  /** Everything except the store's own places of the source. */
  const around = async (): Promise<readonly string[]> =>
    (await fingerprint(fixture.directory)).filter((line) => !line.includes('answer'));

  /** The host's fake answer to a command. */
  const answering = async (which: (command: HostCommand) => boolean, bytes: Buffer): Promise<RemoteHost> => {
    await writeFile(answer, bytes);
    return instead(fixture.host, which, `exec cat '${answer}'`);
  };
  const backup = (host: RemoteHost): Promise<NewSnapshot> =>
    fixture.engine.backup(requestFor(host, source), new Witness());

  const expectNothing = async (host: RemoteHost): Promise<void> => {
    await expect(backup(host)).rejects.toThrow();
    expect(await fixture.engine.published(source)).toEqual([]);
    expect(await around()).toEqual(outside);
    expect((await readdir(fixture.root)).sort()).toEqual(['7', 'store-id']);
    // it does no harm
    const made = await backup(fixture.host);
    expect(made.fileCount).toBe(2);
    expect(await fixture.engine.verify(checkOf(made, fixture.host), new Witness())).toMatchObject({
      files: 2,
    });
  };

  const member = (changes: Partial<TarMember>, content = 'evil', claimed?: number): Buffer => {
    const size = claimed ?? content.length;
    const base = { type: 'file', mode: 0o644, uid: 0, gid: 0, mtimeNs: 0n, size } as const;
    const path = `${root.slice(1)}/a` as ByteString;
    return Buffer.concat([
      tarHeader({ path, ...base, ...changes }, true),
      Buffer.from(content),
      tarPadding(size),
    ]);
  };
  const archive = (...members: Buffer[]): Buffer => Buffer.concat([...members, tarEnd()]);
  const pathOf = (path: string): ByteString => path as ByteString;

  it.each([['../../escaped'], ['/etc/escaped'], ['..'], [''], ['somewhere/else']])(
    'that sends a member called %j',
    async (path) => {
      await expectNothing(await answering(isFetch, archive(member({ path: pathOf(path) }))));
    },
  );

  it.each([
    ['a symbolic link', { type: 'symlink', target: '/etc/passwd' as ByteString, size: 0 }],
    ['a hard link', { type: 'hard-link', target: '/etc/passwd' as ByteString, size: 0 }],
    ['a device', { type: 'character-device', device: { major: 1, minor: 3 }, size: 0 }],
    ['a directory', { type: 'directory', size: 0 }],
    ['a FIFO', { type: 'fifo', size: 0 }],
  ] as const)('that sends %s in the place of a file', async (_, changes) => {
    await expectNothing(await answering(isFetch, archive(member(changes, ''))));
  });

  it('that sends a file twice', async () => {
    await expectNothing(await answering(isFetch, archive(member({}), member({}))));
  });

  it.each([
    ['is cut off in a file', (all: Buffer) => all.subarray(0, 1_100)],
    ['is cut off in a header', (all: Buffer) => all.subarray(0, 700)],
    ['is no archive', () => Buffer.from('no archive'.repeat(1_000))],
    ['is empty', () => Buffer.alloc(0)],
    [
      'says another sum',
      (all: Buffer) => Buffer.concat([all.subarray(0, 100), Buffer.from('7'), all.subarray(101)]),
    ],
  ] as const)('whose archive %s', async (_, cut) => {
    await expectNothing(await answering(isFetch, cut(archive(member({}, 'x'.repeat(2_000))))));
  });

  it.each([
    ['a size beyond all disks', member0('a', 2 ** 53)],
    ['a name without end', longName(2 ** 40)],
    ['a name of two megabytes', longName(2 * 1024 * 1024)],
  ] as const)('that claims %s', async (_, make) => {
    await expectNothing(await answering(isFetch, make(root)));
  });

  it.each([
    ['in descending order', '2\n512\n512\n0\n512\n'],
    ['beyond its end', '1\n0\n99999999\n'],
    ['with more than there is', '1\n0\n512\n'],
    ['without end', '1\n'.repeat(1_000)],
    ['that is none', 'evil'],
  ])('that sends a map of holes %s', async (_, map) => {
    const records = new Map([
      ['GNU.sparse.major', Buffer.from('1')],
      ['GNU.sparse.minor', Buffer.from('0')],
      ['GNU.sparse.name', Buffer.from(`./${root.slice(1)}/a`)],
      ['GNU.sparse.realsize', Buffer.from('4096')],
    ]);
    const content = `${map.padEnd(512, '\0')}x`;
    await expectNothing(await answering(isFetch, archive(member({ records }, content))));
  });

  const facts = 'f 644 0 0 4 1.0000000000 1.0000000000 99 99 1 8';
  const split = (record: string): string[] => record.split('|');
  /** The directories above come first. */
  const above = (): string[] => {
    const parts = root.split('/').slice(1, -1);
    return parts.map((_, index) => `d${facts.slice(1)}|/${parts.slice(0, index + 1).join('/')}|`);
  };
  const listing = (...records: string[]): Buffer =>
    Buffer.from(
      ['printf', '1000', ...above().flatMap(split), '', ...records.flatMap(split), ''].join('\0'),
      'latin1',
    );

  it.each([
    ['names what was not asked for', () => [`${facts}|/etc/passwd|`]],
    ['climbs out', () => [`${facts}|${root}/../../escaped|`]],
    ['has empty names', () => [`${facts}|${root}//a|`]],
    ['is relative', () => [`${facts}|etc/passwd|`]],
    ['has a file without what is above it', () => [`${facts}|${root}/a|`]],
    ['has a file in a file', () => [`${facts}|${root}|`, `${facts}|${root}/a|`]],
    [
      'has a file in a link',
      () => [`d${facts.slice(1)}|${root}|`, `l${facts.slice(1)}|${root}/l|/etc`, `${facts}|${root}/l/a|`],
    ],
    ['has a file in no directory', () => [`d${facts.slice(1)}|${root}|`, `${facts}|${root}/none/a|`]],
    ['says what cannot be', () => [`${facts.replace('644', '99999')}|${root}/a|`]],
    ['claims a size beyond all', () => [`${facts.replace(' 4 ', ' 99999999999999999999 ')}|${root}/a|`]],
    ['breaks off', () => [`${facts}|${root}`]],
  ] as const)('whose listing %s', async (_, make) => {
    await expectNothing(await answering(isListing, listing(...make())));
  });

  it('whose listing claims a file that does not exist', async () => {
    const all = listing(`d${facts.slice(1)}|${root}|`, `${facts}|${root}/none|`, `${facts}|${root}/a|`);
    const made = await backup(await answering(isListing, all));
    // what it did not send is counted as vanished
    expect(made).toMatchObject({ vanishedCount: 1, fileCount: 1 });
    expect(await around()).toEqual(outside);
    await mkdir(join(fixture.directory, 'other'));
  });

  it.each([
    ['nothing but empty blocks', 'exec cat /dev/zero'],
    ['headers', 'while :; do head -c 2048 "$ANSWER"; done'],
  ])('that sends %s without end', async (_, script) => {
    const records = new Map([['comment', Buffer.alloc(512, 'x')]]);
    await writeFile(answer, member({ records }));
    await expectNothing(instead(fixture.host, isFetch, script.replace('$ANSWER', answer)));
  });

  it.each(['cat /dev/zero', 'cat /dev/urandom', 'yes', 'printf "printf\\0001\\000"; yes'])(
    'whose listing comes from: %s',
    async (script) => {
      await expectNothing(instead(fixture.host, isListing, script));
    },
  );

  it('that sends the rest of a file without end', async () => {
    await fixture.write(join(root, 'large'), randomBytes(4 * MIB));
    await expect(backup(cutting(fixture.host, 3 * MIB))).rejects.toThrow();
    const isRest = ({ script }: HostCommand): boolean => script === FETCH_REST;
    await expect(backup(instead(fixture.host, isRest, 'exec cat /dev/zero'))).rejects.toThrow('more than');
    const made = await backup(fixture.host);
    expect(made).toMatchObject({ fileCount: 3, totalBytes: 4 * MIB + 12 });
    await fixture.engine.verify(checkOf(made, fixture.host), new Witness());
  });

  it('that makes a directory of a link whose snapshot lost its manifest', async () => {
    const victim = join(fixture.directory, 'victim');
    await fixture.write(join(victim, 'f'), 'precious');
    await symlink(victim, join(root, 'l'));
    const former = await backup(fixture.host);
    await rm(join(fixture.filesOf(former), '../manifest.jsonl'));
    await rm(join(root, 'l'));
    await rm(join(root, 'a'));
    await fixture.write(join(root, 'l/f'), 'evil');
    const made = await backup(fixture.host);
    expect(await fixture.read(join(victim, 'f'))).toBe('precious');
    expect(await fingerprint(join(fixture.filesOf(made), root))).toEqual(await fingerprint(root));
    await fixture.engine.verify(checkOf(made, fixture.host), new Witness());
  });

  it('that sends other attributes than users and programs have', async () => {
    const records = new Map([
      ['SCHILY.xattr.trusted.overlay.opaque', Buffer.from('y')],
      ['SCHILY.xattr.security.selinux', Buffer.from('evil')],
      ['path', Buffer.from(`./${root.slice(1)}/a`)],
      ['uid', Buffer.from('4242')],
      ['mtime', Buffer.from('99')],
    ]);
    const host = await answering(
      isFetch,
      archive(member({ records }, 'good'), member({ path: pathOf(`${root.slice(1)}/sub/b`) }, 'good too')),
    );
    const made = await backup(host);
    const kept = await fingerprint(join(fixture.filesOf(made), root));
    expect(kept).toEqual(await fingerprint(root));
  });
});

describeWith(['root', 'rsync'], 'a host whose rsync sends something else than the file', () => {
  let fixture: LocalFixture;
  let root: string;

  beforeEach(async () => {
    fixture = await LocalFixture.create();
    root = join(fixture.directory, 'src');
  });
  afterEach(() => fixture.close());

  it.each([
    ['a directory', 'mkdir large; ln -s /etc large/link; echo evil >large/file'],
    ['a link', 'ln -s /etc/passwd large'],
    ['nothing', 'true'],
    ['a FIFO', 'mkfifo large'],
  ])('%s', async (_, make) => {
    const large = join(root, 'large');
    await fixture.write(large, 'before');
    await truncate(large, 65 * MIB);
    const source = sourceOf([root]);
    await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
    await fixture.write(large, 'after');
    await truncate(large, 65 * MIB);
    const evil = join(fixture.directory, 'evil');
    await mkdir(evil);
    const script = `
cd '${evil}' && { ${make}; }
exec unshare -m -- sh -c 'mount --bind "$1" "$2" && shift 2 && exec rsync "$@"' sh '${evil}' '${root}' "$@"`;
    const isRsync = (command: HostCommand): boolean => command.script.includes('exec rsync "$@"');
    const host = instead(fixture.host, isRsync, script, { keepsArguments: true });
    const made = await fixture.engine.backup(requestFor(host, source), new Witness());
    expect(await fingerprint(join(fixture.filesOf(made), root))).toEqual(await fingerprint(root));
    await fixture.engine.verify(checkOf(made, fixture.host), new Witness());
  });
});

const header = (root: string, size: number, flag: string): Buffer => {
  const block = tarHeader(
    { path: `${root.slice(1)}/a` as ByteString, type: 'file', mode: 0, uid: 0, gid: 0, mtimeNs: 0n, size },
    false,
  );
  block.write(flag, 156, 'latin1');
  block.fill(' ', 148, 156);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
};

function member0(_name: string, size: number): (root: string) => Buffer {
  return (root) => header(root, size, '0');
}

function longName(size: number): (root: string) => Buffer {
  return (root) => Buffer.concat([header(root, size, 'L'), Buffer.alloc(1024, 'x')]);
}
