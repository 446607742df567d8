import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { must } from '../../../../scripts/lib/programs.mjs';
import type { ByteString } from '../../../../src/adapters/outbound/backup/byte-string.ts';
import { excludeMatcher } from '../../../../src/adapters/outbound/backup/exclude-matcher.ts';
import { surveyHost } from '../../../../src/adapters/outbound/backup/host-survey.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { withPath } from './host-troubles.ts';
import { LocalFixture } from './local-fixture.ts';

const FILES = [
  'a.tmp',
  'keep',
  'cache/x',
  'cache/deep/y.tmp',
  'sub/cache/z',
  'sub/a+b(c){d}|e$',
  'sub/[set]',
  'sub/s.txt',
  'sub/star*',
  'sub/back\\slash',
  'sub/^hat',
  'logs/2026/01.log',
  'logs/2026/02.log.gz',
  'logs/latest',
  'node_modules/m/index',
  'sub/node_modules/m/index',
  'grün/ä.txt',
  'new\nline/x',
];

/** `ROOT` stands for the source's path. */
const PATTERNS = [
  '*.tmp',
  'cache',
  'cache/',
  'ROOT/cache',
  'ROOT/cache/*',
  'ROOT/*/cache',
  'sub/cache',
  'ROOT/logs/**/*.log',
  '**/node_modules/**',
  'node_modules/***',
  '*.log*',
  '0[1-2].log',
  '0[!1].log*',
  '[!a-m]*',
  '[[:digit:]]*',
  '[^[:lower:].]*',
  'a+b(c){d}|e$',
  '\\[set]',
  '[[]set]',
  'star\\*',
  'back\\slash',
  'back\\\\slas?',
  '^hat',
  's?txt',
  's.txt',
  'lates',
  'ROOT/logs/*',
  'logs/*/0?.log',
  'gr*n',
  'grün/',
  'new*',
  'ROOT',
  'ROOT/',
  '*',
  'x/',
];

describeWith(['rsync', 'busybox'], 'patterns of what is left out', () => {
  let fixture: LocalFixture;
  let root: string;
  beforeAll(async () => {
    fixture = await LocalFixture.create();
    root = join(fixture.directory, 'src');
    for (const file of FILES) await fixture.write(join(root, file), 'x');
    await must('sh', [
      '-c',
      'mkdir "$1" && busybox --install -s "$1"',
      'install',
      join(fixture.directory, 'bin'),
    ]);
  });
  afterAll(() => fixture.close());

  /** rsync's file list, as the old engine requested it. */
  const byRsync = async (pattern: string): Promise<readonly string[]> => {
    const list = await must('sh', [
      '-c',
      'printf "%s\\0" "$1" | rsync -r -R -n -0 --files-from=- --filter="- $2" --out-format="%n" -8 / "$3/"',
      'rsync',
      root,
      pattern,
      join(fixture.directory, 'nowhere'),
    ]);
    const below = root.slice(1);
    return list
      .split('\n')
      .map((line) => line.replace(/\/$/, ''))
      .filter((line) => line === below || line.startsWith(`${below}/`))
      .sort();
  };

  it.each(PATTERNS)('%j means what it means to rsync, with GNU find and with busybox', async (pattern) => {
    const written = pattern.replace('ROOT', root);
    const matcher = excludeMatcher([written]);
    const { signal } = new AbortController();
    const expected = await byRsync(written);
    const below = root.slice(1);
    for (const host of [fixture.host, withPath(fixture.host, join(fixture.directory, 'bin'))]) {
      const { entries } = await surveyHost(host, [root as ByteString], matcher, signal);
      const found = entries
        .map(({ path }) => Buffer.from(path, 'latin1').toString().replace('\n', '\\#012'))
        .filter((path) => path === below || path.startsWith(`${below}/`));
      expect(found.sort()).toEqual(expected);
    }
  });
});
