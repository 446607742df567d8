import { describe, expect, test } from 'vitest';
import { ScryptPasswordHasher } from '../../../../src/adapters/outbound/system/scrypt-password-hasher.ts';
import { TotpCodes } from '../../../../src/adapters/outbound/system/totp-codes.ts';
import { ZxcvbnStrength } from '../../../../src/adapters/outbound/system/zxcvbn-strength.ts';

const CHEAP = { logN: 4, r: 8, p: 1 };

describe('The password hasher', () => {
  test('distinguishes the right password from others, with a separate salt for each', async () => {
    const hasher = new ScryptPasswordHasher(CHEAP);
    const [one, two] = [await hasher.hash('correct'), await hasher.hash('correct')];
    expect(one).not.toBe(two);
    expect(one).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$/);
    expect(await hasher.verify('correct', one)).toBe(true);
    expect(await hasher.verify('Correct', one)).toBe(false);
    expect(await hasher.verify('correct', null)).toBe(false);
    expect(await hasher.verify('correct', 'plain')).toBe(false);
  });

  test('costs what is recommended unless told otherwise, and takes older costs', async () => {
    const hasher = new ScryptPasswordHasher();
    const hash = await hasher.hash('correct');
    expect(hash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/);
    expect(await hasher.verify('correct', hash)).toBe(true);
    expect(await hasher.verify('correct', await new ScryptPasswordHasher(CHEAP).hash('correct'))).toBe(true);
  });

  test('takes the same letters from any keyboard', async () => {
    const hasher = new ScryptPasswordHasher(CHEAP);
    expect(await hasher.verify('cafe\u0301', await hasher.hash('caf\u00e9'))).toBe(true);
  });

  test('makes those wait who come when two are at it, and refuses a crowd', async () => {
    const hasher = new ScryptPasswordHasher(CHEAP);
    const crowd = await Promise.allSettled(Array.from({ length: 100 }, () => hasher.hash('x')));
    expect(crowd.filter(({ status }) => status === 'fulfilled')).toHaveLength(52);
    expect(await hasher.hash('x')).toMatch(/^\$scrypt/);
  });
});

describe('One-time codes', () => {
  const codes = new TotpCodes();
  // RFC 6238, appendix B: the secret is the ASCII text; its eight digits end in these six.
  const secret = codes.secretOf(new TextEncoder().encode('12345678901234567890'));

  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at second %d', (second, code) => {
    expect(codes.stepOf(secret, code, second * 1000)).toBe(Math.floor(second / 30));
    expect(codes.stepOf(secret, code, second * 1000 + 30_000)).toBe(Math.floor(second / 30));
    expect(codes.stepOf(secret, code, second * 1000 + 90_000)).toBeNull();
  });

  test.each(['', '28708', '2870820', '28708a', '287 82'])('"%s" is none', (code) => {
    expect(codes.stepOf(secret, code, 59_000)).toBeNull();
  });

  test('come from a secret that apps read', () => {
    expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
    expect(codes.uri(secret, 'ann')).toContain(`secret=${secret}`);
  });
});

describe('The strength of a password', () => {
  const strength = new ZxcvbnStrength();

  test.each([
    'password1234',
    'aaaaaaaaaaaaaa',
    'qwertyuiop123',
    '123456789012',
    'iloveyou1234',
    'drover123456',
  ])('"%s" is weak', async (password) => {
    expect(await strength.weakness(password, ['drover'])).toMatch(/easy to guess/);
  });

  test.each(['quilt-harbor-ninety-violin', 'fK7#mWq2$zLp', 'ждемпоездавнемецкомгороде'])(
    '"%s" is good',
    async (password) => {
      expect(await strength.weakness(password, ['ann'])).toBeNull();
    },
  );
});
