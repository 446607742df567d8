import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  BackupEngine,
  BackupRequest,
  TransferWatch,
  VerifyRequest,
} from '../../src/application/ports/backups/backup-engine.ts';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import { type BackupSource, describeSource } from '../../src/domain/backups/backup-source.ts';
import type { SampleSize } from '../../src/domain/backups/sample-size.ts';
import type { NewSnapshot, Snapshot } from '../../src/domain/backups/snapshot.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import { expectRefusal } from '../support/expect-refusal.ts';

/** An engine, and a host whose files the test can see and change. */
export interface BackupSubject {
  readonly engine: BackupEngine;
  readonly host: RemoteHost;
  /** An absolute directory on the host that is the test's own. */
  readonly directory: string;
  /** Makes the directories above it too. */
  write(path: string, content: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** `null` if there is no such file. */
  read(path: string): Promise<string | null>;
  /** `transferredBytes` for this much new content: just that, or the engine's stored size. */
  transferred(bytes: number): unknown;
  /** Changes a file in the store behind the engine's back. */
  damage(snapshot: NewSnapshot, path: string, content: string): Promise<void>;
  close(): Promise<void>;
}

/** A caller that records its notifications. */
export class Witness implements TransferWatch {
  readonly lines: string[] = [];
  readonly stages: Array<readonly [string, number | null]> = [];
  readonly aborting = new AbortController();
  readonly signal = this.aborting.signal;
  readonly log = (line: string): void => void this.lines.push(line);
  readonly progress = (current: string, percent: number | null): void =>
    void this.stages.push([current, percent]);

  get text(): string {
    return this.lines.join('\n');
  }
}

/** Asks for all of a snapshot to be verified; every machine is the same one. */
export const checkOf = (
  snapshot: NewSnapshot,
  host: RemoteHost,
  sample: SampleSize = { kind: 'all' },
): VerifyRequest => ({
  snapshot: listed(snapshot),
  sample,
  chance: () => 0.5,
  here: async () => host,
  origin: async () => host,
});

export const listed = (snapshot: NewSnapshot): Snapshot => ({
  ...snapshot,
  id: 1,
  lastVerifiedAt: null,
  check: null,
  pinnedAt: null,
});

let lastSourceId = 0;

/** A separate source. */
export function sourceOf(paths: readonly string[], excludes: readonly string[] = []): BackupSource {
  lastSourceId += 1;
  const described = describeSource({ serverId: 7, name: `source-${lastSourceId}`, paths, excludes, at: 0 });
  return { ...described, id: lastSourceId, lastSuccessAt: null };
}

let lastStart = Date.UTC(2026, 2, 1, 4);

export function requestFor(host: RemoteHost, source: BackupSource): BackupRequest {
  lastStart += 1_000;
  return { host, source, jobId: 12, startedAt: lastStart };
}

/** Every `BackupEngine` does this. */
export function backupEngineContract(name: string, makeSubject: () => Promise<BackupSubject>): void {
  describe(`BackupEngine: ${name}`, () => {
    let subject: BackupSubject;
    let number = 0;
    let base = '';
    beforeAll(async () => {
      subject = await makeSubject();
    });
    afterAll(() => subject.close());

    /** A directory on the host with these files, by their names below it. */
    const tree = async (files: Readonly<Record<string, string>>): Promise<string> => {
      number += 1;
      base = `${subject.directory}/tree-${number}`;
      for (const [path, content] of Object.entries(files)) await subject.write(`${base}/${path}`, content);
      return base;
    };
    const backup = (source: BackupSource, watch: TransferWatch = new Witness()): Promise<NewSnapshot> =>
      subject.engine.backup(requestFor(subject.host, source), watch);
    const restore = (
      snapshot: NewSnapshot,
      directory: string,
      options: { subpaths?: readonly string[]; overwrite?: boolean } = {},
    ): Promise<{ files: number; bytes: number }> =>
      subject.engine.restore(
        {
          snapshot: listed(snapshot),
          directory,
          host: subject.host,
          subpaths: options.subpaths ?? [],
          overwrite: options.overwrite ?? false,
        },
        new Witness(),
      );
    const place = (): string => `${subject.directory}/restored-${number}`;

    describe('backup', () => {
      it('publishes a snapshot with its facts', async () => {
        const source = sourceOf([await tree({ 'a.txt': 'one', 'deep/er/b.txt': 'three' })]);
        const request = requestFor(subject.host, source);
        const made = await subject.engine.backup(request, new Witness());
        expect(made).toMatchObject({
          serverId: 7,
          sourceId: source.id,
          sourceName: source.name,
          jobId: 12,
          engine: subject.engine.name,
          startedAt: request.startedAt,
          fileCount: 2,
          totalBytes: 8,
          vanishedCount: 0,
        });
        expect(made.transferredBytes).toEqual(subject.transferred(8));
        expect(made.finishedAt).toBeTypeOf('number');
        expect(made.manifestSha256).toMatch(/^[0-9a-f]{64}$/);
        expect(await subject.engine.published(source)).toEqual([made]);
      });

      it('transfers only what changed since the last one', async () => {
        const root = await tree({ same: 'same', changed: 'old', gone: 'gone' });
        const source = sourceOf([root]);
        const first = await backup(source);
        await subject.write(`${root}/changed`, 'new one');
        await subject.remove(`${root}/gone`);
        const second = await backup(source);
        expect(second).toMatchObject({ fileCount: 2, totalBytes: 11 });
        expect(second.transferredBytes).toEqual(subject.transferred(7));
        expect(await subject.engine.published(source)).toEqual([first, second]);
        await restore(first, `${place()}-1`);
        await restore(second, `${place()}-2`);
        expect(await subject.read(`${place()}-1${root}/changed`)).toBe('old');
        expect(await subject.read(`${place()}-1${root}/gone`)).toBe('gone');
        expect(await subject.read(`${place()}-2${root}/changed`)).toBe('new one');
        expect(await subject.read(`${place()}-2${root}/gone`)).toBeNull();
      });

      it('names two snapshots of the same moment differently', async () => {
        const source = sourceOf([await tree({ a: 'a' })]);
        const request = requestFor(subject.host, source);
        const first = await subject.engine.backup(request, new Witness());
        const second = await subject.engine.backup(request, new Witness());
        expect(second.name).not.toBe(first.name);
        expect(await subject.engine.published(source)).toHaveLength(2);
      });

      it('takes several paths, a single file too', async () => {
        const root = await tree({ 'one/a': 'a', 'two/b': 'bb', 'three/c': 'ccc' });
        const made = await backup(sourceOf([`${root}/one`, `${root}/two/b`]));
        expect(made).toMatchObject({ fileCount: 2, totalBytes: 3 });
      });

      it("leaves out what the source's patterns and the request's name", async () => {
        const root = await tree({ keep: 'k', 'a.tmp': 't', 'sub/b.tmp': 't', 'cache/x': 'x', 'more/y': 'y' });
        const source = sourceOf([root], ['*.tmp', `${root}/cache`]);
        const request = { ...requestFor(subject.host, source), extraExcludes: [`${root}/more`] };
        const made = await subject.engine.backup(request, new Witness());
        await restore(made, place());
        expect(made.fileCount).toBe(1);
        expect(await subject.read(`${place()}${root}/keep`)).toBe('k');
        expect(await subject.read(`${place()}${root}/cache/x`)).toBeNull();
      });

      it('refuses a source of which a path is missing, and names it', async () => {
        const root = await tree({ there: 't' });
        const none = sourceOf([`${root}/missing`]);
        const some = sourceOf([`${root}/there`, `${root}/missing`]);
        for (const source of [none, some]) {
          const refused = await expectRefusal(backup(source), 'source_missing');
          expect(refused.message).toContain(`"${root}/missing"`);
          expect(refused.message).not.toContain(`"${root}/there"`);
          expect(await subject.engine.published(source)).toEqual([]);
        }
      });

      it('stops when asked to, and publishes nothing', async () => {
        const source = sourceOf([await tree({ a: 'a' })]);
        const reason = new DomainError('job_cancelled', 'Cancelled.');
        const before = new Witness();
        before.aborting.abort(reason);
        await expect(backup(source, before)).rejects.toBe(reason);
        const during = new Witness();
        const { signal, log } = during;
        const atFirstStage = { signal, log, progress: () => during.aborting.abort(reason) };
        await expect(backup(source, atFirstStage)).rejects.toBe(reason);
        expect(await subject.engine.published(source)).toEqual([]);
        expect((await backup(source)).fileCount).toBe(1);
      });

      it('says how far it is', async () => {
        const watch = new Witness();
        await backup(sourceOf([await tree({ a: 'a' })]), watch);
        const percents = watch.stages.map(([, percent]) => percent).filter((percent) => percent !== null);
        expect(watch.stages.length).toBeGreaterThan(0);
        expect(watch.lines.length).toBeGreaterThan(0);
        expect(percents).toEqual([...percents].sort((a, b) => a - b));
        for (const percent of percents) expect(percent >= 0 && percent <= 100).toBe(true);
      });
    });

    describe('plan', () => {
      it('reports what would be transferred, and changes nothing', async () => {
        const root = await tree({ a: 'a', b: 'bb' });
        const source = sourceOf([root]);
        const plan = (): Promise<object> =>
          subject.engine.plan({ host: subject.host, source }, new Witness());
        expect(await plan()).toEqual({
          files: 2,
          totalBytes: 3,
          transferFiles: 2,
          transferBytes: subject.transferred(3),
        });
        expect(await subject.engine.published(source)).toEqual([]);
        await backup(source);
        await subject.write(`${root}/b`, 'bbb!');
        expect(await plan()).toEqual({
          files: 2,
          totalBytes: 5,
          transferFiles: 1,
          transferBytes: subject.transferred(4),
        });
        expect(await subject.engine.published(source)).toHaveLength(1);
      });

      it('refuses a source whose path is missing', async () => {
        const source = sourceOf([`${await tree({})}/missing`]);
        await expectRefusal(
          subject.engine.plan({ host: subject.host, source }, new Witness()),
          'source_missing',
        );
      });
    });

    describe('published', () => {
      it('keeps sources apart, and starts empty', async () => {
        const one = sourceOf([await tree({ a: 'a' })]);
        const other = sourceOf([base]);
        await backup(one);
        expect(await subject.engine.published(other)).toEqual([]);
        expect(await subject.engine.published({ ...one, serverId: 8 })).toEqual([]);
      });
    });

    describe('remove', () => {
      it('removes that snapshot, and does no harm a second time', async () => {
        const source = sourceOf([await tree({ a: 'a' })]);
        const first = await backup(source);
        const second = await backup(source);
        await subject.engine.remove(listed(first), async () => subject.host, new Witness());
        await subject.engine.remove(listed(first), async () => subject.host, new Witness());
        expect(await subject.engine.published(source)).toEqual([second]);
        expect(await subject.engine.verify(checkOf(second, subject.host), new Witness())).toEqual({
          files: 1,
          bytes: 1,
        });
      });

      it('does no harm when several remove at once', async () => {
        const source = sourceOf([await tree({ a: 'a', b: 'b' })]);
        const made = await backup(source);
        await Promise.all(
          [1, 2, 3, 4].map(() =>
            subject.engine.remove(listed(made), async () => subject.host, new Witness()),
          ),
        );
        expect(await subject.engine.published(source)).toEqual([]);
      });
    });

    describe('reclaim', () => {
      it('frees what was removed, and leaves the rest as it was', async () => {
        const root = await tree({ a: 'reclaimed' });
        const source = sourceOf([root]);
        const first = await backup(source);
        await subject.write(`${root}/a`, 'kept');
        const second = await backup(source);
        const origin = async (): Promise<RemoteHost> => subject.host;
        await subject.engine.remove(listed(first), origin, new Witness());
        await subject.engine.reclaim(source, origin, new Witness());
        expect(await subject.engine.published(source)).toEqual([second]);
        await restore(second, place());
        expect(await subject.read(`${place()}${root}/a`)).toBe('kept');
      });
    });

    describe('sweep', () => {
      it('leaves snapshots, and sources that are known, as they are', async () => {
        const source = sourceOf([await tree({ a: 'a' })]);
        const made = await backup(source);
        await subject.engine.sweep([source]);
        await subject.engine.sweep([]);
        expect(await subject.engine.published(source)).toEqual([made]);
        expect((await backup(source)).fileCount).toBe(1);
      });
    });

    describe('verify', () => {
      it('counts what it compared', async () => {
        const made = await backup(sourceOf([await tree({ a: 'a', 'sub/b': 'bb' })]));
        expect(await subject.engine.verify(checkOf(made, subject.host), new Witness())).toEqual({
          files: 2,
          bytes: 3,
        });
      });

      it('compares a sample where that is asked for', async () => {
        const files = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`f${index}`, 'four']));
        const made = await backup(sourceOf([await tree(files)]));
        const three = checkOf(made, subject.host, { kind: 'files', count: 3 });
        expect(await subject.engine.verify(three, new Witness())).toEqual({ files: 3, bytes: 12 });
        const half = checkOf(made, subject.host, { kind: 'percent', percent: 50 });
        expect(await subject.engine.verify(half, new Witness())).toEqual({ files: 4, bytes: 16 });
      });

      it('finds another content, even of the same size', async () => {
        const root = await tree({ a: 'aaaa', b: 'b' });
        const made = await backup(sourceOf([root]));
        await subject.damage(made, `${root}/a`, 'aaax');
        const refused = await expectRefusal(
          subject.engine.verify(checkOf(made, subject.host), new Witness()),
          'snapshot_damaged',
        );
        expect(refused.message).toContain(`${root.slice(1)}/a"`);
        expect(refused.message).not.toContain(`${root.slice(1)}/b"`);
      });

      it('refuses a snapshot whose manifest is not the one that was recorded', async () => {
        const made = await backup(sourceOf([await tree({ a: 'a' })]));
        const other = { ...made, manifestSha256: '0'.repeat(64) };
        await expectRefusal(
          subject.engine.verify(checkOf(other, subject.host), new Witness()),
          'snapshot_damaged',
        );
      });

      it('refuses a snapshot that is not there', async () => {
        const made = await backup(sourceOf([await tree({ a: 'a' })]));
        await subject.engine.remove(listed(made), async () => subject.host, new Witness());
        await expectRefusal(
          subject.engine.verify(checkOf(made, subject.host), new Witness()),
          'snapshot_damaged',
        );
      });
    });

    describe('contents', () => {
      it('are the entries that a restore writes, a directory before its files', async () => {
        const root = await tree({ a: 'a', 'sub/b': 'bb', 'subway/c': 'c' });
        const snapshot = listed(await backup(sourceOf([root])));
        const { signal } = new AbortController();
        const of = async (...subpaths: readonly string[]): Promise<readonly string[]> => {
          const found: string[] = [];
          for await (const { path, kind, size } of subject.engine.contents(
            { snapshot, directory: '/', subpaths },
            signal,
          )) {
            const full = `/${Buffer.from(path).toString()}`;
            if (full.startsWith(`${root}/`)) found.push(`${kind} ${full.slice(root.length)} ${size}`);
          }
          return found;
        };
        expect(await of()).toEqual([
          'file /a 1',
          'dir /sub 0',
          'file /sub/b 2',
          'dir /subway 0',
          'file /subway/c 1',
        ]);
        expect(await of(`${root.slice(1)}/sub`)).toEqual(['dir /sub 0', 'file /sub/b 2']);
        expect(await of(`${root.slice(1)}/nothing`)).toEqual([]);
      });
    });

    describe('restore', () => {
      it('gives everything back below a directory', async () => {
        const root = await tree({ a: 'a', 'sub/b': 'bb', empty: '' });
        const made = await backup(sourceOf([root]));
        expect(await restore(made, place())).toEqual({ files: 3, bytes: 3 });
        expect(await subject.read(`${place()}${root}/sub/b`)).toBe('bb');
        expect(await subject.read(`${place()}${root}/empty`)).toBe('');
      });

      it('restores the named subpaths', async () => {
        const root = await tree({ a: 'a', 'sub/b': 'bb', 'sub/c': 'c', 'subway/d': 'd' });
        const made = await backup(sourceOf([root]));
        const subpaths = [`${root.slice(1)}/sub`, `${root.slice(1)}/a`];
        expect(await restore(made, place(), { subpaths })).toEqual({ files: 3, bytes: 4 });
        expect(await subject.read(`${place()}${root}/subway/d`)).toBeNull();
      });

      it('refuses subpaths that the snapshot does not have', async () => {
        const root = await tree({ a: 'a' });
        const made = await backup(sourceOf([root]));
        for (const subpath of [`${root.slice(1)}/b`, '../..', '', '/', `${root.slice(1)}/a/../a`]) {
          const refused = await expectRefusal(
            restore(made, place(), { subpaths: [subpath] }),
            'invalid_input',
          );
          expect(refused.problems[0]?.path).toBe('/subpaths/0');
        }
      });

      it('refuses a directory that has something in it, unless it may be overwritten', async () => {
        const root = await tree({ a: 'good', b: 'b' });
        const made = await backup(sourceOf([root]));
        await subject.write(`${place()}${root}/a`, 'evil');
        await subject.write(`${place()}/other`, 'other');
        await expectRefusal(restore(made, place()), 'restore_target_not_empty');
        expect(await subject.read(`${place()}${root}/a`)).toBe('evil');
        await restore(made, place(), { overwrite: true });
        expect(await subject.read(`${place()}${root}/a`)).toBe('good');
        expect(await subject.read(`${place()}/other`)).toBe('other');
      });

      it('puts things back in place only when that is said', async () => {
        const root = await tree({ a: 'good', b: 'b' });
        const made = await backup(sourceOf([root]));
        await subject.write(`${root}/a`, 'changed');
        await expectRefusal(restore(made, '/'), 'restore_target_not_empty');
        expect(await subject.read(`${root}/a`)).toBe('changed');
        const subpaths = [`${root.slice(1)}/a`];
        expect(await restore(made, '/', { overwrite: true, subpaths })).toEqual({ files: 1, bytes: 4 });
        expect(await subject.read(`${root}/a`)).toBe('good');
      });

      it.each(['', 'relative', '/with/../dots', '/nul\0'])('refuses the directory %j', async (directory) => {
        const made = await backup(sourceOf([await tree({ a: 'a' })]));
        await expectRefusal(restore(made, directory), 'invalid_input');
      });

      it('says so when the snapshot is damaged', async () => {
        const root = await tree({ a: 'aaaa' });
        const made = await backup(sourceOf([root]));
        await subject.damage(made, `${root}/a`, 'aaax');
        const refused = await expectRefusal(restore(made, place()), 'snapshot_damaged');
        expect(refused.message).toContain(`${root.slice(1)}/a`);
      });

      it('refuses a snapshot that is not there', async () => {
        const made = await backup(sourceOf([await tree({ a: 'a' })]));
        await subject.engine.remove(listed(made), async () => subject.host, new Witness());
        await expectRefusal(restore(made, place()), 'snapshot_damaged');
      });
    });
  });
}
