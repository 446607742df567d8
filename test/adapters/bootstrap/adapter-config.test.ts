import { describe, expect, test } from 'vitest';
import { readAdapterConfig } from '../../../src/adapters/bootstrap/adapter-config.ts';
import { unknownNames } from '../../../src/adapters/bootstrap/config.ts';
import { ConfigurationError, type Environment } from '../../../src/adapters/bootstrap/read-variables.ts';
import { makeTokenSecret } from '../../../src/domain/access/token-secret.ts';
import { SELF_SIGNED } from '../../support/certificates.ts';

const TOKEN = makeTokenSecret((bytes) => Uint8Array.from({ length: bytes }, (_, index) => index * 3));
const GOOD = { SERVICE_URL: 'https://drover.example.org:8443', SERVICE_TOKEN: TOKEN };

const FILES: Record<string, string> = {
  '/run/token': `${TOKEN}\n`,
  '/run/empty': '\n',
  '/etc/ca.pem': SELF_SIGNED.cert,
  '/etc/motd': 'Hello',
};

function readFile(path: string): string {
  const text = FILES[path];
  if (text === undefined) throw Object.assign(new Error('no'), { code: 'ENOENT' });
  return text;
}

const read = (env: Environment) => readAdapterConfig(env, readFile);

function messageFor(env: Environment): string {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('The configuration of the stdio adapter', () => {
  test('is an address and a token', () => {
    const config = read(GOOD);
    expect(config).toMatchObject({ url: 'https://drover.example.org:8443', ca: null });
    expect(config.token.reveal()).toBe(TOKEN);
    expect(JSON.stringify(config)).not.toContain(TOKEN);
  });

  test('may name files for the token and for certificates', () => {
    const { SERVICE_TOKEN: _, ...rest } = GOOD;
    const config = read({ ...rest, SERVICE_TOKEN_FILE: '/run/token', SERVICE_CA_FILE: '/etc/ca.pem' });
    expect(config.token.reveal()).toBe(TOKEN);
    expect(config.ca).toBe(SELF_SIGNED.cert);
  });

  test('names all that is missing', () => {
    expect(messageFor({})).toMatch(/SERVICE_URL: it is not set\. Example.*\n.*SERVICE_TOKEN: it is not set/);
  });

  test.each([
    [{ SERVICE_URL: 'drover.example.org' }, 'SERVICE_URL', 'starts with http'],
    [{ SERVICE_URL: 'https://drover.example.org/mcp' }, 'SERVICE_URL', 'more than scheme, host and port'],
    [{ SERVICE_URL: `https://x:${TOKEN}@drover.example.org` }, 'SERVICE_URL', 'user name or password'],
    [{ SERVICE_TOKEN: '${DROVER_TOKEN}' }, 'SERVICE_TOKEN', 'is a placeholder'],
    [{ SERVICE_TOKEN: '$DROVER_TOKEN' }, 'SERVICE_TOKEN', 'is a placeholder'],
    [{ SERVICE_TOKEN: `Bearer ${TOKEN}` }, 'SERVICE_TOKEN', 'without Bearer|only the token'],
    [{ SERVICE_TOKEN: TOKEN.slice(0, -1) }, 'SERVICE_TOKEN', 'not the whole of one'],
    [{ SERVICE_TOKEN: `${TOKEN.slice(0, -1)}0` }, 'SERVICE_TOKEN', 'has a checksum'],
    [{ SERVICE_TOKEN_FILE: '/run/token' }, 'SERVICE_TOKEN', 'keep one of the two'],
    [{ SERVICE_TOKEN: '', SERVICE_TOKEN_FILE: '/run/nothing' }, 'SERVICE_TOKEN', 'cannot be read .ENOENT'],
    [{ SERVICE_TOKEN: '', SERVICE_TOKEN_FILE: '/run/empty' }, 'SERVICE_TOKEN', 'is empty'],
    [{ SERVICE_CA_FILE: '/etc/nothing' }, 'SERVICE_CA_FILE', 'cannot be read .ENOENT'],
    [{ SERVICE_CA_FILE: '/etc/motd' }, 'SERVICE_CA_FILE', 'holds no certificate'],
  ])('that is wrong is refused by the name of the variable: %o', (env, name, words) => {
    const message = messageFor({ ...GOOD, ...env });
    expect(message).toContain(`  ${name}: `);
    expect(message).toMatch(new RegExp(words));
    expect(message).not.toContain(TOKEN.slice(4, -1));
  });

  test('is spelt as it should be', () => {
    expect(unknownNames(GOOD)).toEqual([]);
    expect(unknownNames({ SERVICE_TOKN: TOKEN })).toEqual([
      'There is no variable SERVICE_TOKN; it is ignored. Did you mean SERVICE_TOKEN?',
    ]);
  });
});
