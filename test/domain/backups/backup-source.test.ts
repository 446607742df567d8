import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BackupSource,
  describeSource,
  selectSources,
} from '../../../src/domain/backups/backup-source.ts';
import { DEFAULT_RETENTION } from '../../../src/domain/backups/retention-policy.ts';
import { InvalidInput } from '../../../src/domain/base/errors.ts';

const GOOD = { serverId: 1, name: 'www', paths: ['/srv/www'], at: 0 };

function faults(change: Partial<Parameters<typeof describeSource>[0]>): string[] {
  try {
    describeSource({ ...GOOD, ...change });
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems.map(({ path }) => path);
    throw error;
  }
}

describe('a backup source', () => {
  it('needs a name and a path, and has defaults for the rest', () => {
    expect(describeSource(GOOD)).toEqual({
      serverId: 1,
      name: 'www',
      paths: ['/srv/www'],
      excludes: [],
      kind: 'files',
      engine: 'rsync',
      repositoryId: null,
      retention: DEFAULT_RETENTION,
      compareContentEvery: 0,
      hooks: [],
      createdAt: 0,
    });
  });

  it('writes its paths one way, each once', () => {
    const { paths } = describeSource({ ...GOOD, paths: ['//srv///www//', '/srv/www', '/', '///'] });
    expect(paths).toEqual(['/srv/www', '/']);
  });

  it('takes names that hosts have, however odd', () => {
    const paths = [
      '/a b',
      '/$(touch x)',
      '/q\'"',
      '/new\nline',
      '/-dash',
      '/star*[a]?',
      '/ünïcode',
      '/trail ',
    ];
    expect(describeSource({ ...GOOD, paths }).paths).toEqual(paths);
  });

  it.each([
    '',
    'srv',
    './srv',
    '/srv/..',
    '/..',
    '/srv/./www',
    '/a\0b',
    '/half\ud800',
    `/${'x'.repeat(4_095)}`,
  ])('refuses the path %j', (path) => {
    expect(faults({ paths: ['/srv', path] })).toEqual(['/paths/1']);
  });

  it('counts a path in bytes', () => {
    expect(faults({ paths: [`/${'x'.repeat(4_094)}`] })).toEqual([]);
    expect(faults({ paths: [`/${'ü'.repeat(2_048)}`] })).toEqual(['/paths/0']);
  });

  it.each(['', 'a\nb', 'tab\t', '\x7f', 'half\udfff', 'x'.repeat(4_096)])(
    'refuses the pattern %j',
    (pattern) => {
      expect(faults({ excludes: ['*.tmp', pattern] })).toEqual(['/excludes/1']);
    },
  );

  it.each(['', 'Www', '-www', '.www', 'a b', 'a/b', 'www\n', 'x'.repeat(64), 'ü'])(
    'refuses the name %j',
    (name) => {
      expect(faults({ name })).toEqual(['/name']);
    },
  );

  it('names every fault at once', () => {
    const retention = { ...DEFAULT_RETENTION, keepLast: -1 };
    expect(faults({ name: '', paths: ['x'], excludes: [''], retention })).toEqual([
      '/name',
      '/paths/0',
      '/excludes/0',
      '/retention/keep_last',
    ]);
  });

  it('has some paths, and a hundred at most', () => {
    const many = Array.from({ length: 101 }, (_, index) => `/p${index}`);
    expect(faults({ paths: [] })).toEqual(['/paths']);
    expect(faults({ paths: many })).toEqual(['/paths']);
    expect(faults({ excludes: many })).toEqual(['/excludes']);
    expect(faults({ paths: many.slice(1), excludes: many.slice(1) })).toEqual([]);
  });

  it('is described to the same again, for any path that it takes', () => {
    const part = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 12 })
      .map((text) => text.replace(/\0/g, ''));
    const anyPath = fc.array(part, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`);
    fc.assert(
      fc.property(fc.array(anyPath, { minLength: 1, maxLength: 5 }), (paths) => {
        if (faults({ paths }).length > 0) return;
        const once = describeSource({ ...GOOD, paths });
        expect(describeSource({ ...GOOD, paths: once.paths }).paths).toEqual(once.paths);
        for (const path of once.paths) expect(path).toMatch(/^\/$|^(\/[^/]+)+$/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the sources of a job', () => {
  const source = (name: string): BackupSource => ({
    ...describeSource({ ...GOOD, name }),
    id: 1,
    lastSuccessAt: null,
  });

  it('are all, or the one that is named', () => {
    const all = [source('a'), source('b')];
    expect(selectSources(all, null)).toEqual(all);
    expect(selectSources(all, 'b')).toEqual([all[1]]);
  });

  it('are refused if there are none, or none of that name', () => {
    expect(() => selectSources([], null)).toThrowError(expect.objectContaining({ code: 'no_backup_source' }));
    expect(() => selectSources([source('a')], 'b')).toThrowError(
      expect.objectContaining({ code: 'source_not_found', message: expect.stringContaining('it has: a.') }),
    );
  });
});
