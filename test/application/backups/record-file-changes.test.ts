import { beforeEach, expect, it } from 'vitest';
import { MAX_FILE_CHANGES, RecordFileChanges } from '../../../src/application/backups/record-file-changes.ts';
import { BackupEngines, type SnapshotContent } from '../../../src/application/ports/backups/backup-engine.ts';
import type { FileFindings } from '../../../src/application/ports/fleet/host-change-store.ts';
import type { BackupSource } from '../../../src/domain/backups/backup-source.ts';
import type { Snapshot } from '../../../src/domain/backups/snapshot.ts';
import { differenceText } from '../../../src/domain/fleet/host-state.ts';
import { RecordingLogger } from '../../fakes/recording-logger.ts';

const { signal } = new AbortController();
const SOURCE = {
  id: 7,
  serverId: 3,
  name: 'config',
  kind: 'files',
  engine: 'rsync',
  paths: ['/etc', '/srv'],
  excludes: ['/etc/cache'],
} as unknown as BackupSource;
const entry = (path: string, more: Partial<SnapshotContent> = {}): SnapshotContent => ({
  path: Buffer.from(path.slice(1)),
  kind: 'file',
  size: 10,
  modifiedAt: 1_000,
  mode: 0o644,
  uid: 0,
  gid: 0,
  sha256: 'aa',
  target: null,
  ...more,
});
const snapshot = (id: number, more: Partial<Snapshot> = {}): Snapshot =>
  ({ id, startedAt: id * 1_000, fileCount: 10, check: null, engine: 'rsync', ...more }) as Snapshot;

let contents: Map<number, readonly SnapshotContent[]>;
let snapshots: Snapshot[];
let recorded: FileFindings[];
let log: RecordingLogger;
let read: number[];
beforeEach(() => {
  contents = new Map();
  snapshots = [snapshot(2), snapshot(1)];
  recorded = [];
  read = [];
  log = new RecordingLogger();
});

const execute = async (source = SOURCE, newer = snapshots[0] as Snapshot): Promise<readonly string[]> => {
  const engine = {
    name: 'rsync',
    async *contents({ snapshot: { id } }: { snapshot: Snapshot }) {
      read.push(id);
      const found = contents.get(id);
      if (found === undefined) throw new Error('damaged');
      yield* found;
    },
  };
  await new RecordFileChanges({
    engines: new BackupEngines([engine as never]),
    snapshots: { ofSource: async () => snapshots },
    inventories: {
      find: async () =>
        ({ containers: ['/srv/shop', '/srv/../etc', '/', null].map((path) => ({ path })) }) as never,
    },
    hostChanges: { recordFiles: async (found) => void recorded.push(found) },
    log,
  }).execute(source, newer, signal);
  return recorded.flatMap(({ differences }) =>
    differences.map((each) => `${each.name}: ${differenceText(each)}`),
  );
};

it('is each configuration file that was added, removed, rewritten or got other rights, and nothing else', async () => {
  const same = [
    entry('/etc', { kind: 'dir' }),
    entry('/etc/same'),
    entry('/srv/shop', { kind: 'dir' }),
    entry('/srv/shop/compose.yaml'),
  ];
  contents.set(1, [
    ...same,
    entry('/etc/gone'),
    entry('/etc/rewritten'),
    entry('/etc/longer'),
    entry('/etc/rights'),
    entry('/etc/dir', { kind: 'dir', mode: 0o755 }),
    entry('/etc/link', { kind: 'link', target: '/a' }),
    entry('/etc/touched'),
    entry('/etc/unhashed', { sha256: null }),
    entry('/etc/cache/file'),
    entry('/srv/shop/.env'),
    entry('/srv/shop/compose.prod.yml'),
    entry('/srv/shop/data/compose.yaml'),
    entry('/srv/shop/readme'),
  ]);
  contents.set(2, [
    ...same,
    entry('/etc/new\u001b[31m', { size: 1_234_567 }),
    entry('/etc/newdir', { kind: 'dir' }),
    entry('/etc/rewritten', { sha256: 'bb', modifiedAt: 2_000 }),
    entry('/etc/longer', { sha256: 'bb', size: 11 }),
    entry('/etc/rights', { mode: 0o600, uid: 33 }),
    entry('/etc/dir', { kind: 'dir', mode: 0o700 }),
    entry('/etc/link', { kind: 'link', target: '/b\u202e' }),
    entry('/etc/touched', { modifiedAt: 2_000 }),
    entry('/etc/unhashed', { sha256: null, modifiedAt: 2_000 }),
    entry('/etc/cache/other'),
    entry('/srv/shop/.env', { sha256: 'bb' }),
    entry('/srv/shop/data/compose.yaml', { sha256: 'bb' }),
    entry('/srv/shop/readme', { sha256: 'bb' }),
  ]);
  expect(await execute()).toEqual([
    '/etc/dir: directory, mode 0755 → directory, mode 0700',
    '/etc/gone: removed: file, 10 bytes',
    '/etc/link: link to /a → link to /b',
    '/etc/longer: file, 10 bytes → file, 11 bytes, new contents',
    '/etc/new\\x1b[31m: added: file, 1,234,567 bytes',
    '/etc/rewritten: file, 10 bytes → file, 10 bytes, new contents',
    '/etc/rights: file, 10 bytes, mode 0644, owner 0:0 → file, 10 bytes, mode 0600, owner 33:0',
    '/etc/unhashed: file, 10 bytes → file, 10 bytes, new contents',
    '/srv/shop/.env: file, 10 bytes → file, 10 bytes, new contents',
    '/srv/shop/compose.prod.yml: removed: file, 10 bytes',
  ]);
  expect(recorded).toMatchObject([{ serverId: 3, snapshotId: 2, since: 1_000, at: 2_000 }]);
});

it('compares with the last snapshot that is not damaged, and the first with none', async () => {
  snapshots = [
    snapshot(4),
    snapshot(3, { check: { outcome: 'damaged' } as never }),
    snapshot(2),
    snapshot(1),
  ];
  for (const id of [2, 4]) contents.set(id, [entry(`/etc/of-${id}`)]);
  expect(await execute()).toHaveLength(2);
  expect(read).toEqual([2, 4]);
  recorded = [];
  expect(await execute(SOURCE, snapshots[3])).toEqual([]);
  expect(recorded).toEqual([]);
});

it('reads no manifest of a source without configuration, of the service itself, or of very many files', async () => {
  await execute({ ...SOURCE, paths: ['/var/lib/data'] });
  await execute({ ...SOURCE, kind: 'service' });
  await execute(SOURCE, snapshot(2, { fileCount: 200_001 }));
  expect(read).toEqual([]);
});

it('lists nothing of a place that was only now added to the source', async () => {
  contents.set(1, [entry('/etc/nginx/a')]);
  contents.set(2, [entry('/etc/nginx/a', { sha256: 'bb' }), entry('/etc/ssh/b')]);
  const source = { ...SOURCE, paths: ['/etc/nginx', '/etc/ssh'] };
  expect(await execute(source)).toEqual(['/etc/nginx/a: file, 10 bytes → file, 10 bytes, new contents']);
});

it('counts what is beyond the limit, and leaves out a place with more files than are compared', async () => {
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => entry(`/etc/${String(from + n).padStart(6, '0')}`));
  contents.set(1, [entry('/etc/x')]);
  contents.set(2, [entry('/etc/x'), ...many(0, 1_700)]);
  const found = await execute();
  expect(found).toHaveLength(MAX_FILE_CHANGES + 1);
  expect(found.at(-1)).toBe('source config: added: 1,200 more files changed');
  recorded = [];
  contents.set(2, many(0, 50_001));
  expect(await execute()).toEqual([]);
});

it('does not fail a backup: what goes wrong is logged', async () => {
  contents.set(2, [entry('/etc/x')]);
  expect(await execute()).toEqual([]);
  expect(log.lines).toMatchObject([{ level: 'warn', fields: { snapshotId: 2 } }]);
});
