import { describe, expect, it } from 'vitest';
import { composeDirectories } from '../../../src/domain/fleet/server-description.ts';

describe('directories of compose projects', () => {
  it('are kept in their shortest form, each once', () => {
    expect(composeDirectories(['/srv/stacks/', '/opt/a b', '/srv/stacks'])).toEqual([
      '/opt/a b',
      '/srv/stacks',
    ]);
  });

  it.each([
    '',
    'srv',
    './srv',
    '/srv/../etc',
    '/srv//x',
    '/srv/./x',
    '/',
    '/etc',
    '/srv\n/etc',
    `/${'x'.repeat(600)}`,
  ])('are not %j', (directory) => {
    expect(() => composeDirectories([directory])).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        problems: [expect.objectContaining({ path: '/compose_dirs/0' })],
      }),
    );
  });

  it('are twenty at the most', () => {
    const many = Array.from({ length: 21 }, (_, index) => `/srv/${index}`);
    expect(() => composeDirectories(many)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });
});
