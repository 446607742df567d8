import { describe, expect, it } from 'vitest';
import { checkText, parseCheck } from '../../../src/domain/compose/update-check.ts';

describe('a check of an update', () => {
  it.each([
    ['http 8080 /health 200', { kind: 'http', port: 8080, path: '/health', status: 200, body: '' }],
    ['http 80 / 302 a b', { kind: 'http', port: 80, path: '/', status: 302, body: 'a b' }],
    ['tcp 5432', { kind: 'tcp', port: 5432 }],
    ['command ["pg_isready", "-U", "a b"]', { kind: 'command', argv: ['pg_isready', '-U', 'a b'] }],
  ])('is read from %s, and written as that', (text, check) => {
    const read = parseCheck(text);
    expect(read).toEqual(check);
    expect(read && parseCheck(checkText(read))).toEqual(read);
  });

  it.each([
    '',
    'http',
    'http 0 / 200',
    'http 65536 / 200',
    'http 80 health 200',
    'http 80 /../x 200',
    'http 80 / 20',
    'tcp 0',
    'tcp 80 90',
    'command ls',
    'command []',
    'command [1]',
    'command ["-it"]',
    'command ["a\\nb"]',
    `tcp ${'1'.repeat(2_000)}`,
    'exec ["ls"]',
  ])('is refused: %s', (text) => {
    expect(parseCheck(text)).toBeNull();
  });
});
