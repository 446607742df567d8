import { link, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../../../scripts/lib/programs.mjs';
import { ShellExclusionSurvey } from '../../../../src/adapters/outbound/backup/shell-exclusion-survey.ts';
import type { ProtectedPlaces } from '../../../../src/application/ports/backups/protected-places.ts';
import type { RemoteHost } from '../../../../src/application/ports/fleet/remote-host.ts';
import { changeSource } from '../../../../src/domain/backups/backup-source.ts';
import { requestFor, sourceOf, Witness } from '../../../contracts/backup-engine.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { rounds } from '../../../support/rounds.ts';
import { treeOf } from '../../../support/tree.ts';
import { withPath } from './host-troubles.ts';
import { LocalFixture } from './local-fixture.ts';

const places: ProtectedPlaces = { survey: async () => ({ inside: null, below: [], leftOut: [] }) };
const { signal } = new AbortController();

describe('A preview of what patterns leave out', () => {
  let fixture: LocalFixture;
  let number = 0;
  beforeAll(async () => {
    fixture = await LocalFixture.create();
  });
  afterAll(() => fixture.close());

  const surveyOf = (limits?: { readonly ms: number; readonly paths: number }) =>
    new ShellExclusionSurvey({ root: fixture.root, places, ...(limits ? { limits } : {}) });
  const tree = async (files: Readonly<Record<string, string>>): Promise<string> => {
    number += 1;
    const root = join(fixture.directory, `preview-${number}`);
    for (const [path, content] of Object.entries(files)) await fixture.write(join(root, path), content);
    return root;
  };
  const preview = (paths: readonly string[], excludes: readonly string[], host: RemoteHost = fixture.host) =>
    surveyOf().preview({ host, source: { kind: 'files', paths, excludes } }, signal);

  it('counts each pattern alone, the whole once, and names the largest', async () => {
    const root = await tree({
      keep: '1234',
      'a.tmp': '12',
      'cache/x': '12345',
      'cache/deep/y.tmp': '1',
      'odd\u202e\n': '123',
    });
    const patterns = ['*.tmp', `${root}/cache`, 'nothing', 'odd*'];
    expect(await preview([root], patterns)).toEqual({
      kept: { files: 1, bytes: 4 },
      leftOut: { files: 4, bytes: 11 },
      patterns: [
        { pattern: '*.tmp', matches: 2, files: 2, bytes: 3 },
        { pattern: `${root}/cache`, matches: 1, files: 2, bytes: 6 },
        { pattern: 'nothing', matches: 0, files: 0, bytes: 0 },
        { pattern: 'odd*', matches: 1, files: 1, bytes: 3 },
      ],
      largest: [
        { path: { text: `${root}/cache`, escaped: false }, isDirectory: true, files: 2, bytes: 6 },
        { path: { text: `${root}/odd\\u{202e}\\n`, escaped: true }, isDirectory: false, files: 1, bytes: 3 },
        { path: { text: `${root}/a.tmp`, escaped: false }, isDirectory: false, files: 1, bytes: 2 },
      ],
      unreadable: 0,
      isComplete: true,
    });
  });

  it('counts once what is below two paths of the source, and names at most 20 paths', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`sub/${at}.tmp`, 'x']));
    const root = await tree({ ...files, other: 'x', 'sub/keep': 'x' });
    const found = await preview([root, join(root, 'sub')], ['*.tmp', 'sub']);
    // as in the backup: a path that is named explicitly is included, whatever is above it
    const plan = await fixture.engine.plan(
      requestFor(fixture.host, sourceOf([root, join(root, 'sub')], ['*.tmp', 'sub'])),
      new Witness(),
    );
    expect(found.kept).toEqual({ files: plan.files, bytes: plan.totalBytes });
    expect(found.largest.length).toBeLessThanOrEqual(20);
    expect((await preview([root, join(root, 'sub')], ['*.tmp'])).leftOut).toEqual({ files: 30, bytes: 30 });
  });

  it('stops at its limits and says so', async () => {
    const root = await tree({ a: 'x', b: 'x', c: 'x' });
    const request = { host: fixture.host, source: { kind: 'files' as const, paths: [root], excludes: [] } };
    const few = await surveyOf({ ms: 60_000, paths: 2 }).preview(request, signal);
    expect(few.isComplete).toBe(false);
    expect(few.kept.files).toBeLessThan(3);
    const never: RemoteHost = {
      ...hostOf(fixture.host),
      open: (command, options) => fixture.host.open({ ...command, script: 'exec sleep 60' }, options),
    };
    const late = await surveyOf({ ms: 200, paths: 10 }).preview({ ...request, host: never }, signal);
    expect(late).toMatchObject({ isComplete: false, kept: { files: 0 } });
  });

  it('believes no host that lists what cannot be', async () => {
    const root = await tree({ a: 'x' });
    for (const said of ['f 1\\0relative\\0', 'f 1\\0/a/../b\\0', 'f x\\0/a\\0', 'f 1\\0/half']) {
      const liar: RemoteHost = {
        ...hostOf(fixture.host),
        open: (command, options) => fixture.host.open({ ...command, script: `printf '${said}'` }, options),
      };
      await expectRefusal(preview([root], [], liar), 'host_command_failed');
    }
  });

  it('refuses missing paths, and stops when the reader is gone', async () => {
    await expectRefusal(preview([join(fixture.directory, 'gone')], []), 'source_missing');
    const root = await tree({ a: 'x' });
    const gone = AbortSignal.abort(new Error('gone'));
    const request = { host: fixture.host, source: { kind: 'files' as const, paths: [root], excludes: [] } };
    await expect(surveyOf().preview(request, gone)).rejects.toThrow('gone');
  });

  it('says what a backup then leaves out, for generated names and patterns', async () => {
    const part = fc.constantFrom('a', 'b.tmp', 'cache', 'x y', '[s]', 'star*', 'ä', 'back\\slash', 'n\nl');
    const files = fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
    const pattern = fc.constantFrom(
      '*.tmp',
      'cache',
      'cache/',
      'a/b.tmp',
      'ROOT/a',
      'ROOT/*/cache',
      '**/a/**',
      'ä',
      '[[]s]',
      'n*',
      'star\\*',
      '?',
      'x y',
      'back\\slash',
      'cache/***',
      'ROOT/a/*',
      '*',
    );
    const cases = fc.tuple(files, fc.array(pattern, { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(cases, async ([paths, patterns]) => {
        number += 1;
        const root = join(fixture.directory, `generated-${number}`);
        await must('mkdir', ['-p', root]);
        for (const [at, path] of paths.entries()) {
          // existing files stay
          await fixture.write(join(root, ...path), 'x'.repeat(at)).catch(() => undefined);
        }
        const excludes = [...new Set(patterns.map((each) => each.replace('ROOT', root)))];
        const found = await preview([root], excludes);
        const made = await fixture.engine.backup(
          requestFor(fixture.host, sourceOf([root], excludes)),
          new Witness(),
        );
        expect(found.kept).toEqual({ files: made.fileCount, bytes: made.totalBytes });
        const kept = await filesBelow(join(fixture.filesOf(made), root));
        const all = await filesBelow(root);
        expect(found.leftOut.files).toBe(all - kept);
        await must('rm', ['-rf', root]);
      }),
      { numRuns: rounds(25, 1_000), endOnFailure: true },
    );
  }, 600_000);

  it('leaves the history of a source that is changed, and its last snapshot is the base of the next', async () => {
    const root = await tree({ keep: 'old', 'big.tmp': 'large' });
    const source = sourceOf([root]);
    const before = await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
    const more = await tree({ other: 'new' });
    const after = { ...source, ...changeSource(source, { paths: [root, more], excludes: ['*.tmp'] }) };
    const made = await fixture.engine.backup(requestFor(fixture.host, after), new Witness());
    expect(made.transferredBytes).toBe(3);
    const inode = async (snapshot: typeof made) =>
      (await stat(join(fixture.filesOf(snapshot), root, 'keep'))).ino;
    expect(await inode(made)).toBe(await inode(before));
    expect(await readdir(join(fixture.filesOf(made), root))).toEqual(['keep']);
    expect((await fixture.engine.published(after)).map(({ name }) => name)).toEqual([before.name, made.name]);
  });
});

describeWith('busybox', 'A preview on a host with the tools of busybox alone', () => {
  it('finds the same', async () => {
    const fixture = await LocalFixture.create();
    try {
      const bin = join(fixture.directory, 'bin');
      await must('sh', ['-c', 'mkdir "$1" && busybox --install -s "$1"', 'install', bin]);
      const root = join(fixture.directory, 'src');
      for (const file of ['a', 'b.tmp', 'd/e.tmp', 'd/f g', 'n\nl.tmp'])
        await fixture.write(join(root, file), file);
      await link(join(root, 'a'), join(root, 'second'));
      const survey = new ShellExclusionSurvey({ root: fixture.root, places });
      const source = { kind: 'files' as const, paths: [root], excludes: ['*.tmp', 'd/'] };
      const extraExcludes = [join(root, 'd', 'f g')];
      const byGnu = await survey.preview({ host: fixture.host, source, extraExcludes }, signal);
      const host = withPath(fixture.host, bin);
      expect(await survey.preview({ host, source, extraExcludes }, signal)).toEqual(byGnu);
      expect(byGnu).toMatchObject({ kept: { files: 2 }, leftOut: { files: 3 } });
    } finally {
      await fixture.close();
    }
  });
});

const hostOf = (host: RemoteHost): RemoteHost => ({
  run: (...args) => host.run(...args),
  open: (...args) => host.open(...args),
  release: () => undefined,
});

async function filesBelow(directory: string): Promise<number> {
  const found = await treeOf(directory).catch(() => ({}));
  return Object.values(found).filter((what) => !what.startsWith('directory')).length;
}
