import { expect, it } from 'vitest';
import { sameVersions } from '../../scripts/ensure.mjs';

const lock = (packages: Record<string, { version?: string; optional?: boolean }>) => ({ packages });

it.each([
  ['all is there', { a: { version: '1.0.0' } }, { a: { version: '1.0.0' } }, true],
  ['one has another version', { a: { version: '1.0.1' } }, { a: { version: '1.0.0' } }, false],
  ['one is missing', { a: { version: '1.0.0' } }, {}, false],
  ['one for another platform is missing', { a: { version: '1.0.0', optional: true } }, {}, true],
  [
    'one for this platform is old',
    { a: { version: '2.0.0', optional: true } },
    { a: { version: '1.0.0' } },
    false,
  ],
  ['one more is there', {}, { a: { version: '1.0.0' } }, true],
  ['only the project itself differs', { '': { version: '0.2.0' } }, { '': { version: '0.1.0' } }, true],
])('compares what is installed with what is locked: %s', (_, wanted, installed, same) => {
  expect(sameVersions(lock(wanted), lock(installed))).toBe(same);
});
