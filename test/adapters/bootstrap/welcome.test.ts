import { describe, expect, test } from 'vitest';
import { type StartReport, welcome } from '../../../src/adapters/bootstrap/welcome.ts';

const said = (
  host: string | null,
  publicUrl: string | null = null,
  over: Partial<StartReport> = {},
): string =>
  welcome(
    { host, publicUrl, dataDir: '/var/lib/drover', databaseUrl: null },
    { port: 8888, securePort: null, enrolled: null, setUp: null, ...over },
  );

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

  test('prefer HTTPS where there is a certificate', () => {
    const words = said(null, null, { securePort: 8443 });
    expect(words).toContain('listens on http://127.0.0.1:8888 and https://0.0.0.0:8443.');
    expect(words).toContain('  https://localhost:8443/mcp ');
  });

  test('lead to the set-up as long as nobody has an account', () => {
    const setUp = { secret: 'S'.repeat(32), expiresAt: 0 };
    expect(said(null, null, { setUp })).toContain(`  http://127.0.0.1:8888/welcome#${'S'.repeat(32)}`);
    expect(said(null)).not.toContain('/welcome#');
  });

  test('tell how to open it to a network, where it is not', () => {
    expect(said(null)).toMatch(
      /Only this machine can reach it\.[^]*SERVICE_TLS_CERT[^]*SERVICE_HOST=0\.0\.0\.0/,
    );
    for (const words of [said('0.0.0.0'), said('127.0.0.1'), said(null, null, { securePort: 8443 })])
      expect(words).not.toContain('Only this machine');
  });
});
