import { expect, it } from 'vitest';
import { expressionsIn, isSuperLinear } from '../../scripts/lib/backtracking.mjs';

const faults = (code: string): number => expressionsIn(code).filter(isSuperLinear).length;

it.each([
  'const a = /^(a+)+$/;',
  'const a = /^(docker-)?compose(\\.[^/]+)*\\.ya?ml$/;',
  'text.replace(/\\/+$/, "")',
  'text.replace(/\\.?\\s*$/u, "")',
  'const a = /(\\w+): (\\d+)/g;',
  "const a = new RegExp('^(a+)+$');",
  "const WORD = '(a+)'; const a = new RegExp(`^${WORD}+$`, 's');",
  "const a = RegExp('(a' + String.raw`\\w*)+$`);",
])('finds an expression that backtracks: %s', (code) => {
  expect(faults(code)).toBe(1);
});

it.each(['const a = /^\\d{1,16}$/;', 'text.split(/\\s+/)', 'const a = /^[\\w.-]+ \\S+$/;'])(
  'leaves alone what takes as long as its text is: %s',
  (code) => {
    expect(faults(code)).toBe(0);
  },
);

it.each([
  'new RegExp(text)',
  'const make = (word: string) => new RegExp(`^${word}$`);',
  'let a = "b"; new RegExp(a);',
])('cannot tell of one that is made of variable text: %s', (code) => {
  expect(expressionsIn(code)).toMatchObject([{ source: null }]);
});

it('reads one that is made of constants', () => {
  const code = "const LONG = 3 + 4; const a = new RegExp(`^a{${LONG}}$`, 'u');";
  expect(expressionsIn(code)).toEqual([{ source: '^a{7}$', flags: 'u' }]);
});
