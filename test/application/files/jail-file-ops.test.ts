import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { InMemoryFiles } from '../../../src/adapters/outbound/hosts/jail/memory/in-memory-files.ts';
import { InMemoryJails } from '../../../src/adapters/outbound/hosts/jail/memory/in-memory-jails.ts';
import { JailAccess } from '../../../src/application/files/jail-access.ts';
import { JailFileOps } from '../../../src/application/files/jail-file-ops.ts';
import { MAX_READ } from '../../../src/application/files/read-part.ts';
import { describeServer } from '../../../src/domain/fleet/server-description.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const agent = tokenActor({ capabilities: ['read', 'files'] });
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function* content(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

let scene: ApplicationScene;
let files: InMemoryFiles;
let opened: Array<{ readonly directory: string; readonly purpose: string }>;
let ops: JailFileOps;

beforeEach(async () => {
  scene = applicationScene();
  files = new InMemoryFiles();
  files.now = () => scene.clock.now();
  opened = [];
  const jails = new InMemoryJails(
    () => files,
    (directory, purpose) => opened.push({ directory, purpose }),
  );
  const opener = {
    accessTo: async () => ({ kind: 'local', serverId: 1, serverName: 'web', become: 'none' }) as const,
  };
  const access = new JailAccess({ servers: scene.servers, opener, jails });
  ops = new JailFileOps({ ...scene, jailAccess: access, mostBytes: 1_000 });
  files.file('/srv/jail/app/compose.yaml', 'services: {}');
  files.file('/srv/jail/app/.ssh/config', 'Host *');
  await scene.servers.add(
    describeServer({
      name: 'web',
      connection: 'ssh',
      hostname: 'web.example.org',
      jail: '/srv/jail',
      jailDeny: ['*.env'],
    }),
    scene.clock.now(),
    () => ({}),
  );
  await scene.addServer('bare', {}, 'ssh');
});

const write = (p: string, name: string, text: string, ifMatch?: string) =>
  ops.write(agent, 1, { p, name, content: content(text), ifMatch });

describe('who may use files, and where', () => {
  const everything = (actor = agent, serverId = 1): readonly Promise<unknown>[] => [
    ops.list(actor, serverId, '..'),
    ops.stat(actor, serverId, '..'),
    ops.read(actor, serverId, '..'),
    ops.download(actor, serverId, '..'),
    ops.write(actor, serverId, { p: '..', name: 'x', content: content('x') }),
    ops.makeDirectory(actor, serverId, '..', 'x'),
    ops.rename(actor, serverId, { p: '..', src: 'x', dest: 'y' }),
    ops.remove(actor, serverId, '..'),
  ];

  test('the scope is asked for first', async () => {
    const reader = tokenActor({ capabilities: ['read', 'jobs', 'edit'], serverIds: new Set([2]) });
    for (const refused of everything(reader)) await expectRefusal(refused, 'scope_missing');
  });

  test('then the server, as if it did not exist', async () => {
    const elsewhere = tokenActor({ capabilities: ['read', 'files'], serverIds: new Set([2]) });
    for (const refused of everything(elsewhere)) await expectRefusal(refused, 'server_not_found');
    for (const refused of everything(agent, 99)) await expectRefusal(refused, 'server_not_found');
  });

  test('then the jail', async () => {
    for (const refused of everything(agent, 2)) await expectRefusal(refused, 'files_not_configured');
  });

  test('then the path, before any host is asked', async () => {
    for (const refused of everything()) await expectRefusal(refused, 'invalid_input');
    expect(opened).toEqual([]);
  });

  test('every refusal is in the audit log', async () => {
    const refused = everything();
    await Promise.allSettled(refused);
    const entries = scene.kept.audit.filter(({ action }) => action.startsWith('file.'));
    expect(entries.map(({ action, outcome }) => `${action} ${outcome}`).sort()).toEqual(
      ['delete', 'download', 'list', 'mkdir', 'read', 'rename', 'stat', 'write'].map(
        (each) => `file.${each} invalid_input`,
      ),
    );
  });
});

describe('what is denied', () => {
  test.each(['app/.ssh', 'app/.ssh/config', 'app/.SSH/config', 'id_rsa', 'app/prod.env'])(
    '%s is neither listed nor read, written, renamed or removed',
    async (path) => {
      const at = path.lastIndexOf('/');
      const [p, name] = [path.slice(0, Math.max(at, 0)), path.slice(at + 1)];
      const refused = [
        ops.list(agent, 1, path),
        ops.stat(agent, 1, path),
        ops.read(agent, 1, path),
        ops.download(agent, 1, path),
        write(p, name, 'x'),
        ops.makeDirectory(agent, 1, p, name),
        ops.rename(agent, 1, { p, src: name, dest: 'shown' }),
        ops.remove(agent, 1, path),
      ];
      for (const each of refused) await expectRefusal(each, 'path_refused');
      expect(opened).toEqual([]);
    },
  );

  test('nothing is given a name that is denied', async () => {
    const order = { p: 'app', src: 'compose.yaml', dest: 'authorized_keys' };
    await expectRefusal(ops.rename(agent, 1, order), 'path_refused');
    expect(files.at('/srv/jail/app/compose.yaml')).toBeDefined();
  });
});

describe('reading', () => {
  test('lists what is there, odd names escaped', async () => {
    files.directory('/srv/jail/odd').entries.set('a\nb', { kind: 'link', target: '/', changedAt: 5 });
    const { jail, path, entries, truncated } = await ops.list(agent, 1, 'odd');
    expect([jail, String(path), truncated]).toEqual(['/srv/jail', 'odd', false]);
    expect(entries).toEqual([
      { kind: 'link', size: 0, modifiedAt: 5, denied: false, shown: { text: 'a\\nb', escaped: true } },
    ]);
  });

  test('gives 256 KiB at once, and the size of all', async () => {
    files.file('/srv/jail/large', Buffer.alloc(MAX_READ + 5, 'x'));
    const first = await ops.read(agent, 1, 'large');
    expect([first.bytes.length, first.size]).toEqual([MAX_READ, MAX_READ + 5]);
    expect((await ops.read(agent, 1, 'large', { offset: MAX_READ })).bytes.length).toBe(5);
  });

  test.each([
    ['', 3, ''],
    ['\n', 1, '\n'],
    ['\n\n\n', 2, '\n\n'],
    ['a\nb\nc', 2, 'b\nc'],
    ['a\nb\nc\n', 2, 'b\nc\n'],
    ['a\nb\n', 9, 'a\nb\n'],
    // Of a large file only whole lines, as long as one fits.
    [`${'é\n'.repeat(MAX_READ / 2)}end`, 1e6, `${'é\n'.repeat(Math.floor((MAX_READ - 3) / 3))}end`],
    [`a\n${'x'.repeat(MAX_READ + 1)}`, 1, 'x'.repeat(MAX_READ)],
    [`a\n${'x'.repeat(MAX_READ + 1)}\n`, 1, `${'x'.repeat(MAX_READ - 1)}\n`],
  ])('gives the last lines of a file: %#', async (all, lastLines, last) => {
    files.file('/srv/jail/log', all);
    const { bytes, offset, size } = await ops.read(agent, 1, 'log', { lastLines });
    expect(Buffer.from(bytes).toString() === last).toBe(true);
    expect([offset, size]).toEqual([Buffer.byteLength(all) - bytes.length, Buffer.byteLength(all)]);
  });

  test('downloads whole files up to the limit, apart from short commands', async () => {
    const { size, sha256: hash, content: stream } = await ops.download(agent, 1, 'app/compose.yaml');
    expect([size, hash, (await buffer(stream)).toString()]).toEqual([
      12,
      sha256('services: {}'),
      'services: {}',
    ]);
    expect(opened).toEqual([{ directory: '/srv/jail', purpose: 'bulk' }]);
    files.file('/srv/jail/large', Buffer.alloc(1_001));
    await expectRefusal(ops.download(agent, 1, 'large'), 'file_too_large');
  });
});

describe('changing', () => {
  const lastEntry = () => scene.kept.audit.at(-1);

  test('a write is audited with path, size and hash before and after', async () => {
    await write('app', 'compose.yaml', 'new');
    expect(lastEntry()).toMatchObject({
      action: 'file.write',
      object: 'server:1',
      outcome: 'done',
      actorName: 'agent',
      detail: {
        path: 'app/compose.yaml',
        size: 3,
        sha256: sha256('new'),
        before: { size: 12, sha256: sha256('services: {}') },
      },
    });
    await write('', 'fresh', 'x');
    expect(lastEntry()?.detail).toMatchObject({ path: 'fresh', before: null });
  });

  test('a write over what was changed since it was read is refused, and audited', async () => {
    await write('app', 'compose.yaml', 'two', sha256('services: {}'));
    await expectRefusal(write('app', 'compose.yaml', 'three', sha256('services: {}')), 'changed_since_read');
    expect(lastEntry()).toMatchObject({ action: 'file.write', outcome: 'changed_since_read' });
    await expectRefusal(write('app', 'compose.yaml', 'x', 'no hash'), 'invalid_input');
    await expectRefusal(write('app', 'compose.yaml', 'x', ''), 'invalid_input');
  });

  test('a write is held to the limit', async () => {
    await expectRefusal(write('app', 'compose.yaml', 'x'.repeat(1_001)), 'file_too_large');
  });

  test('directories, names and removals are audited', async () => {
    expect(String(await ops.makeDirectory(agent, 1, 'app', 'conf'))).toBe('app/conf');
    expect(lastEntry()).toMatchObject({ action: 'file.mkdir', detail: { path: 'app/conf' } });
    const { from, to } = await ops.rename(agent, 1, { p: 'app', src: 'conf', dest: 'etc' });
    expect([String(from), String(to)]).toEqual(['app/conf', 'app/etc']);
    expect(lastEntry()).toMatchObject({ action: 'file.rename', detail: { path: 'app/conf', to: 'app/etc' } });
    expect(String(await ops.remove(agent, 1, 'app/etc'))).toBe('app/etc');
    expect(lastEntry()).toMatchObject({ action: 'file.delete', detail: { path: 'app/etc', kind: 'dir' } });
  });
});
