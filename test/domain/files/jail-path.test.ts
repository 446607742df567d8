import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/domain/base/errors.ts';
import { JailPath } from '../../../src/domain/files/jail-path.ts';
import { rounds } from '../../support/rounds.ts';

const refusal = (code: ErrorCode) => expect.objectContaining({ code, message: expect.stringMatching(/\.$/) });

describe('a path in a jail', () => {
  test.each([
    ['', []],
    ['compose.yaml', ['compose.yaml']],
    ['web/nginx/site.conf', ['web', 'nginx', 'site.conf']],
    ['-rf', ['-rf']],
    [' leading and trailing ', [' leading and trailing ']],
    ['it\'s "quoted"', ['it\'s "quoted"']],
    ['$(reboot)', ['$(reboot)']],
    ['`id`;rm -rf ~', ['`id`;rm -rf ~']],
    ['a/...', ['a', '...']],
    ['.hidden/..x', ['.hidden', '..x']],
    ['%2e%2e/%2fetc', ['%2e%2e', '%2fetc']],
    ['größe/日本', ['größe', '日本']],
    ['*?[a]', ['*?[a]']],
    ['x'.repeat(255), ['x'.repeat(255)]],
  ])('%j is taken by its names, unchanged', (raw, names) => {
    expect(JailPath.parse(raw).names).toEqual(names);
    expect(String(JailPath.parse(raw))).toBe(raw);
  });

  test.each([
    ['a parent', '..'],
    ['a parent on the way', 'a/../b'],
    ['a parent at the end', 'a/..'],
    ['the directory itself', '.'],
    ['the directory itself on the way', 'a/./b'],
    ['an absolute path', '/etc/passwd'],
    ['the root', '/'],
    ['an empty part', 'a//b'],
    ['a slash at the end', 'a/'],
    ['a NUL', 'a\0b'],
    ['a NUL before a suffix', 'secret\0.txt'],
    ['a newline', 'a\nb'],
    ['a carriage return', 'a\rb'],
    ['an escape', '\u001b[2J'],
    ['a C1 control', 'a\u009bb'],
    ['half of a surrogate pair', '\ud800'],
    ['text that runs backwards', 'a\u202egpj.sh'],
    ['a line separator', 'a\u2028b'],
    ['a backslash', '..\\..\\etc'],
    ['a name of 256 bytes', 'ü'.repeat(128)],
    ['65 parts', 'a/'.repeat(64).concat('a')],
    ['2,049 bytes', `${'x'.repeat(204)}/`.repeat(10).slice(0, 2_049)],
  ])('%s is refused', (_what, raw) => {
    expect(() => JailPath.parse(raw, '/dest')).toThrow(refusal('invalid_input'));
    expect(() => JailPath.parse(raw, '/dest')).toThrow(/^\/dest: /);
  });

  test.each([
    ['/srv/compose', 'Pass an empty path'],
    ['/srv/compose/', 'Pass an empty path'],
    ['/', 'Pass an empty path'],
    ['/srv/compose/app/compose.yaml', 'Pass "app/compose.yaml"'],
    ['app/', 'Pass "app"'],
    ['./app', 'Pass "app"'],
    ['app//conf', 'Pass "app/conf"'],
    ['/etc/passwd', '/srv/compose'],
    ['/srv/compose2/app', '/srv/compose'],
  ])('%j is refused with what to pass instead: %s', (raw, advice) => {
    expect(() => JailPath.parse(raw, '/p', '/srv/compose')).toThrow(advice);
  });

  test.each(['/srv/compose/../etc', '/etc/passwd', '../app', '/srv/compose/a\u202eb'])(
    '%j is refused without a path to pass',
    (raw) => {
      const advice = (): unknown => JailPath.parse(raw, '/p', '/srv/compose');
      expect(advice).toThrow(refusal('invalid_input'));
      expect(advice).not.toThrow('Pass');
    },
  );

  test('refuses a path in place of a name, with the directory to pass', () => {
    const root = JailPath.parse('app');
    expect(() => root.child('conf/a.yaml')).toThrow('p "app/conf" and name "a.yaml"');
    expect(() => JailPath.ROOT.child('app/a.yaml', '/src')).toThrow('p "app" and src "a.yaml"');
    expect(() => root.child('../a.yaml')).toThrow(/^\/name: A name must not contain "\/"\.$/);
  });

  test('goes to its parent and to its children', () => {
    const path = JailPath.parse('a/b');
    expect([path.entry.name, String(path.entry.directory)]).toEqual(['b', 'a']);
    expect(path.entry.directory.entry.directory.isRoot).toBe(true);
    expect(String(path.child('c'))).toBe('a/b/c');
    expect(() => JailPath.ROOT.entry).toThrow(refusal('path_refused'));
  });

  test.each(['', '.', '..', 'a/b', '/a', 'a\0', '..\\x'])('has no child called %j', (name) => {
    expect(() => JailPath.parse('a').child(name)).toThrow(refusal('invalid_input'));
  });

  test('has no child that makes it too long', () => {
    const deep = JailPath.parse('a/'.repeat(63).concat('a'));
    expect(() => deep.child('a')).toThrow(refusal('invalid_input'));
    const long = JailPath.parse(`${'x'.repeat(203)}/`.repeat(10).slice(0, -1));
    expect(() => long.child('y'.repeat(100))).toThrow(refusal('invalid_input'));
  });

  test('generated text is refused, or is names that can do no harm', () => {
    const piece = fc.oneof(
      fc.constantFrom('..', '.', '/', '\\', '\0', '\n', '%2e', '%2f', ' ', "'", '-', '~', '$(', '\u202e', ''),
      fc.string({ unit: 'binary', maxLength: 6 }),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        (raw) => {
          let path: JailPath;
          try {
            path = JailPath.parse(raw);
          } catch {
            return;
          }
          expect(String(path)).toBe(raw);
          for (const name of path.names) {
            expect(['', '.', '..']).not.toContain(name);
            expect(name).not.toMatch(/[/\\\p{Cc}\p{Cs}]/u);
          }
        },
      ),
      { numRuns: rounds(1_000, 20_000) },
    );
  });
});
