import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/domain/base/errors.ts';
import { assertJail, FORBIDDEN_ROOTS, jailDirectory } from '../../../src/domain/files/jail-directory.ts';

const refusal = (code: ErrorCode) => expect.objectContaining({ code, message: expect.stringMatching(/\.$/) });

describe('a directory that file tools are held to', () => {
  test.each([
    ['/srv/compose', '/srv/compose'],
    ['/srv//compose/', '/srv/compose'],
    ['/home/deploy/compose', '/home/deploy/compose'],
    ['/etcetera', '/etcetera'],
    ['/usrlocal/x', '/usrlocal/x'],
    ['/srv/with blank', '/srv/with blank'],
  ])('%s will do', (raw, jail) => expect(jailDirectory(raw)).toBe(jail));

  test.each([
    '',
    'srv',
    './srv',
    '/',
    '//',
    '/srv/..',
    '/srv/./x',
    '/srv/../etc',
    '/srv\0',
    '/srv\n',
    '/var',
    '/root/.ssh',
    '/root',
    '/home',
    '/home/deploy/',
    '/home/x/.ssh/y',
    `/${'x'.repeat(1_024)}`,
    `/${'ü'.repeat(520)}`,
    ...FORBIDDEN_ROOTS,
    ...FORBIDDEN_ROOTS.map((root) => `${root}/x`),
    ...FORBIDDEN_ROOTS.map((root) => `/${root}//`),
  ])('%j will not', (raw) => expect(() => jailDirectory(raw)).toThrow(refusal('invalid_input')));

  test.each(['/etc/compose', '/', '/srv//x', '/srv/x/', 'srv', '/srv/../etc', '/tmp', '/srv/.ssh', '/srv\n'])(
    '%j is refused when it is used, too',
    (directory) => expect(() => assertJail(directory)).toThrow(refusal('jail_unusable')),
  );

  test('what may be one is used as it is', () => {
    for (const each of ['/srv/compose', '/home/deploy', '/root'])
      expect(() => assertJail(each)).not.toThrow();
  });
});
