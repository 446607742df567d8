import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellCommand, shellWord } from '../../../src/domain/base/shell-command.ts';
import { rounds } from '../../support/rounds.ts';

/** The words that a shell makes of a command line: its first word is taken as a function that prints the others. */
function wordsOf(line: string): readonly string[] {
  const script = `drover() { printf '%s\\0' "$@"; }\n${line}`;
  return execFileSync('sh', ['-c', script], { cwd: '/', encoding: 'utf8' }).split('\0').slice(0, -1);
}

const HOSTILE = [
  "/srv/compose'; touch /tmp/drover-pwned; : '",
  '/srv/$(touch /tmp/drover-pwned)',
  '/srv/`touch /tmp/drover-pwned`',
  '/srv/a b  c',
  '/srv/"quoted"',
  '/srv/back\\slash',
  '/srv/*?[a-z]{a,b}',
  '/srv/a;b&c|d>e<f(g)',
  '~root',
  '=ls',
  '#comment',
  '!history',
  '',
];
const UNFIT = [
  '-rf',
  '--jail=/',
  '/srv/a\nrm -rf b',
  '/srv/\u001b[2J\u001b]0;title\u0007',
  '/srv/\u202e/etc',
  '/srv/\u200b',
  '/srv/\u{e0041}',
  '/srv/\ufffd',
  '/srv/\ud800',
  '\0',
  'x'.repeat(5_000),
];

describe('a suggested command', () => {
  it.each(HOSTILE)('carries %j as one word, and nothing of it acts', (value) => {
    const line = shellCommand`drover server edit ${7} --jail ${value}`;
    expect(wordsOf(line)).toEqual(['server', 'edit', '7', '--jail', value]);
  });

  it.each(UNFIT)('does not show %j', (value) => {
    expect(shellCommand`drover server edit 7 --jail ${value} --yes`).toBe(
      "drover server edit 7 --jail '?' --yes",
    );
  });

  it('leaves plain words as they are, also as parts of words', () => {
    expect(shellCommand`drover server features ${3} ${'os_patch'}=on`).toBe(
      'drover server features 3 os_patch=on',
    );
    expect(shellCommand`drover server check ${'web-1.example.org'}`).toBe(
      'drover server check web-1.example.org',
    );
  });

  it('is the words that it was made of, whatever they are', () => {
    const text = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(text, (values) => {
        const line = `drover ${values.map(shellWord).join(' ')}`;
        const shown = values.map((value) => (shellWord(value) === "'?'" ? '?' : value));
        expect(wordsOf(line)).toEqual(shown);
        expect(line).not.toMatch(/\p{C}/u);
      }),
      { numRuns: rounds(10, 500) },
    );
  });
});
