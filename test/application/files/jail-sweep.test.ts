import { beforeEach, expect, test } from 'vitest';
import { JournalledJails } from '../../../src/adapters/outbound/hosts/jail/journalled-jails.ts';
import { InMemoryFiles } from '../../../src/adapters/outbound/hosts/jail/memory/in-memory-files.ts';
import { InMemoryJails } from '../../../src/adapters/outbound/hosts/jail/memory/in-memory-jails.ts';
import { partName } from '../../../src/adapters/outbound/hosts/jail/part-name.ts';
import { JailSweep } from '../../../src/application/files/jail-sweep.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { DAY } from '../../../src/domain/base/instant.ts';
import { JailPath } from '../../../src/domain/files/jail-path.ts';
import { InMemoryWriteJournal, type JournalShelf } from '../../fakes/in-memory-write-journal.ts';
import { type ApplicationScene, applicationScene } from '../../support/application-scene.ts';

const PART = `/srv/jail/app/${partName('00000000-1111-2222-3333-444444444444.1.2.3', 'a'.repeat(32))}`;
const HERE = { kind: 'local', serverId: 1, serverName: 'web', become: 'none' } as const;

let scene: ApplicationScene;
let files: InMemoryFiles;
let shelf: JournalShelf;
let reach: () => Promise<typeof HERE>;

/** A process that writes, or comes after one that did. */
const processOf = (name: string) => {
  const journal = new InMemoryWriteJournal(name, shelf);
  const jails = new JournalledJails(new InMemoryJails(() => files), journal);
  const opener = { accessTo: () => reach() };
  const sweep = new JailSweep({ journal, jails, opener, servers: scene.servers, clock: scene.clock });
  return { journal, jails, sweep: () => sweep.execute(new AbortController().signal) };
};

async function* content(then: () => void = () => undefined): AsyncGenerator<Uint8Array> {
  yield Buffer.from('new');
  then();
}

beforeEach(async () => {
  scene = applicationScene();
  files = new InMemoryFiles();
  files.now = () => scene.clock.now();
  files.directory('/srv/jail/app');
  const dead = new Set(['dead']);
  shelf = { entries: new Map(), isDead: (writer) => dead.has(writer), now: () => scene.clock.now() };
  reach = async () => HERE;
  await scene.addServer('web');
});

/** A write of a process that died over it, long ago. */
async function leave(): Promise<void> {
  await new InMemoryWriteJournal('dead', shelf).begin({
    serverId: 1,
    jail: '/srv/jail',
    directory: JailPath.parse('app'),
  });
  files.file(PART, 'half');
  await scene.clock.advance(11 * 60_000);
}

test('what a dead process left is removed, once', async () => {
  await leave();
  await processOf('next').sweep();
  expect(files.at(PART)).toBeUndefined();
  expect(shelf.entries.size).toBe(0);
});

test('possible writes are checked again', async () => {
  await leave();
  files.file(PART, 'more');
  const next = processOf('next');
  await next.sweep();
  expect(files.at(PART)).toBeDefined();
  expect(shelf.entries.size).toBe(1);
  await scene.clock.advance(10 * 60_000);
  await next.sweep();
  expect(files.at(PART)).toBeUndefined();
  expect(shelf.entries.size).toBe(0);
});

test('a host that cannot be reached is asked again, for thirty days', async () => {
  await leave();
  reach = async () => {
    throw new DomainError('host_unreachable', 'It is off.');
  };
  await processOf('next').sweep();
  expect(shelf.entries.size).toBe(1);
  await scene.clock.advance(30 * DAY);
  await processOf('next').sweep();
  expect(shelf.entries.size).toBe(0);
});

test.each([
  ['its directory is gone', async () => files.move('/srv/jail/app', '/srv/jail/other')],
  ['its jail is gone', async () => files.move('/srv/jail', '/srv/other')],
  ['its server is gone', () => scene.servers.remove(1, scene.clock.now(), {})],
])('an entry is deleted when %s', async (_what, change) => {
  await leave();
  await change();
  await processOf('next').sweep();
  expect(shelf.entries.size).toBe(0);
});

test('a write is in the journal while it runs, and not after it', async () => {
  const { jails, journal } = processOf('mine');
  const fs = await jails.open(HERE, '/srv/jail');
  let during = 0;
  const note = (): void => {
    during = shelf.entries.size;
  };
  await fs.write(JailPath.parse('app/x'), content(note), { expect: 'any', most: 10 });
  expect([during, shelf.entries.size]).toEqual([1, 0]);
  await expect(
    fs.write(JailPath.parse('app/x'), content(), { expect: 'absent', most: 10 }),
  ).rejects.toMatchObject({ code: 'file_exists' });
  expect(await journal.left()).toEqual([]);
  expect(shelf.entries.size).toBe(0);
});

test.each(['host_connection_lost', 'host_timeout'] as const)(
  'a write that ends in %s stays in the journal until it was looked after',
  async (code) => {
    const { jails, sweep } = processOf('mine');
    const fs = await jails.open(HERE, '/srv/jail');
    const cut = (): never => {
      throw new DomainError(code, 'Cut.');
    };
    await expect(
      fs.write(JailPath.parse('app/x'), content(cut), { expect: 'any', most: 10 }),
    ).rejects.toMatchObject({ code });
    expect(shelf.entries.size).toBe(1);
    await sweep();
    expect(shelf.entries.size).toBe(0);
  },
);
