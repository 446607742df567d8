import { describe, expect, test } from 'vitest';
import { welcome } from '../../../src/adapters/bootstrap/welcome.ts';

const said = (host: string | null, publicUrl: string | null = null): string =>
  welcome({ host, publicUrl, dataDir: '/var/lib/drover', databaseUrl: null }, 8888, null);

describe('the words at the start', () => {
  test.each([
    [null, 'listens on http://127.0.0.1:8888.', '  http://127.0.0.1:8888/mcp '],
    ['0.0.0.0', 'listens on http://0.0.0.0:8888.', '  http://localhost:8888/mcp '],
    ['::', 'listens on http://[::]:8888.', '  http://localhost:8888/mcp '],
    ['2001:db8::7', 'listens on http://[2001:db8::7]:8888.', '  http://[2001:db8::7]:8888/mcp '],
  ])('give an address that can be connected to, on %s', (host, listens, connect) => {
    expect(said(host)).toContain(listens);
    expect(said(host)).toContain(connect);
  });

  test('give the public address where the operator has told it', () => {
    expect(said('0.0.0.0', 'https://drover.example.org')).toContain('  https://drover.example.org/mcp ');
  });
});
