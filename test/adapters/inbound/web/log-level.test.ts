import { expect, test } from 'vitest';
import { levelOf } from '../../../../src/adapters/inbound/web/pages/jobs/log-level.ts';

test.each([
  ['E: Unable to fetch some archives', 'error'],
  ['dpkg: error processing package nginx (--configure):', 'error'],
  ['nginx: [emerg] bind() to 0.0.0.0:80 failed', 'error'],
  ['W: Some index files are old', 'warning'],
  ['Unpacking libgpg-error0 (1.46-1)', null],
  ['12 files, 0 failed', null],
  ['10 errors', 'error'],
])('The level of %s', (line, level) => {
  expect(levelOf(line)).toBe(level);
});
