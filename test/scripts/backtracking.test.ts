import { expect, it } from 'vitest';
import { expressionsIn, isSuperLinear } from '../../scripts/lib/backtracking.mjs';

const faults = (code: string): number => expressionsIn(code).filter(isSuperLinear).length;

it.each([
  'const a = /^(a+)+$/;',
  'const a = /^(docker-)?compose(\\.[^/]+)*\\.ya?ml$/;',
  'text.replace(/\\/+$/, "")',
  'text.replace(/\\.?\\s*$/u, "")',
  'const a = /(\\w+): (\\d+)/g;',
])('finds an expression that backtracks: %s', (code) => {
  expect(faults(code)).toBe(1);
});

it.each(['const a = /^\\d{1,16}$/;', 'text.split(/\\s+/)', 'const a = /^[\\w.-]+ \\S+$/;'])(
  'leaves alone what takes as long as its text is: %s',
  (code) => {
    expect(faults(code)).toBe(0);
  },
);
