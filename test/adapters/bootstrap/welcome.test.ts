import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownCommand } from '../../../src/adapters/bootstrap/serve.ts';
import { type StartReport, welcome } from '../../../src/adapters/bootstrap/welcome.ts';

const said = (
  host: string | null,
  publicUrl: string | null = null,
  over: Partial<StartReport> = {},
): string =>
  welcome(
    { host, publicUrl, dataDir: '/var/lib/drover', databaseUrl: null },
    {
      port: 8888,
      securePort: null,
      enrolled: null,
      setUp: null,
      command: '/opt/drover/bin/drover.mjs',
      ...over,
    },
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

  test('lead to the set-up until there is an account', () => {
    const setUp = { secret: 'S'.repeat(32), expiresAt: 0 };
    expect(said(null, null, { setUp })).toContain(`  http://127.0.0.1:8888/welcome#${'S'.repeat(32)}`);
    expect(said(null)).not.toContain('/welcome#');
  });

  test('explain how to open it to a network, if it is not open', () => {
    expect(said(null)).toMatch(
      /Only this machine can reach it\.[^]*SERVICE_TLS_CERT[^]*SERVICE_HOST=0\.0\.0\.0/,
    );
    for (const words of [said('0.0.0.0'), said('127.0.0.1'), said(null, null, { securePort: 8443 })])
      expect(words).not.toContain('Only this machine');
  });

  test('name the command by its path, and offer a link, unless a shell finds it', () => {
    expect(said(null)).toContain('  /opt/drover/bin/drover.mjs token create --name ');
    expect(said(null)).toContain('  sudo ln -s /opt/drover/bin/drover.mjs /usr/local/bin/drover\n');
    const linked = said(null, null, { command: 'drover' });
    expect(linked).toContain('  drover token create --name ');
    expect(linked).not.toContain('ln -s');
    expect(said(null) + linked).not.toContain('npx');
  });
});

describe('the own command', () => {
  test('is drover if the first drover that a shell finds is this program, else its path', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'drover-command-'));
    try {
      const program = join(directory, 'drover.mjs');
      await writeFile(program, '');
      expect(ownCommand(program, directory)).toBe(program);
      expect(ownCommand(program, undefined)).toBe(program);
      await symlink(program, join(directory, 'drover'));
      expect(ownCommand(program, `/nowhere:${directory}`)).toBe('drover');
      expect(ownCommand('/elsewhere/drover.mjs', directory)).toBe('/elsewhere/drover.mjs');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
