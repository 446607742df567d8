import { createCipheriv } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AesSecretBox } from '../../../../../src/adapters/outbound/storage/secrets/aes-secret-box.ts';
import { MasterKey } from '../../../../../src/adapters/outbound/storage/secrets/master-key.ts';
import { secretBoxContract } from '../../../../contracts/secret-box.contract.ts';
import { PlainSecretBox } from '../../../../fakes/plain-secret-box.ts';

const keyOf = (byte: number) => new MasterKey(Buffer.alloc(32, byte));
const PLACE = { table: 'ssh_keys', column: 'private_key', row: 7 };

secretBoxContract('AesSecretBox', () => ({
  box: new AesSecretBox([keyOf(1), keyOf(2)]),
  stranger: new AesSecretBox([keyOf(3)]),
}));
secretBoxContract('PlainSecretBox', () => ({
  box: new PlainSecretBox(),
  stranger: new PlainSecretBox('otherbox'),
}));

describe('AesSecretBox', () => {
  test('opens with every key that it has, and encrypts with the first', () => {
    const old = new AesSecretBox([keyOf(1)]);
    const rotating = new AesSecretBox([keyOf(2), keyOf(1)]);
    const sealedBefore = old.seal('hunter2', PLACE);
    expect(rotating.open(sealedBefore, PLACE)).toBe('hunter2');
    expect(rotating.isCurrent(sealedBefore)).toBe(false);
    const sealedAfter = rotating.seal('hunter2', PLACE);
    expect(rotating.isCurrent(sealedAfter)).toBe(true);
    expect(() => old.open(sealedAfter, PLACE)).toThrow(/master key [\w-]{8}, and the service has [\w-]{8}/);
  });

  test('reads what another program encrypts by the documented form', () => {
    const key = keyOf(1);
    const cipher = createCipheriv('aes-256-gcm', Buffer.alloc(32, 1), Buffer.alloc(12, 9));
    cipher.setAAD(Buffer.from('["ssh_keys","private_key","7"]'));
    const body = Buffer.concat([cipher.update('hunter2', 'utf8'), cipher.final()]);
    const parts = [Buffer.alloc(12, 9), cipher.getAuthTag(), body].map((part) => part.toString('base64url'));
    expect(new AesSecretBox([key]).open(`v1.${key.id}.${parts.join('.')}`, PLACE)).toBe('hunter2');
  });

  test('does not take a key id for another key of the same box', () => {
    const box = new AesSecretBox([keyOf(1), keyOf(2)]);
    const renamed = box.seal('hunter2', PLACE).replace(keyOf(1).id, keyOf(2).id);
    expect(() => box.open(renamed, PLACE)).toThrow(expect.objectContaining({ code: 'secret_unreadable' }));
  });

  test('needs a key', () => {
    expect(() => new AesSecretBox([])).toThrow(/at least one master key/);
  });
});

describe('MasterKey', () => {
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 8));

  test.each([
    ['hexadecimal', bytes.toString('hex')],
    ['upper-case hexadecimal', bytes.toString('hex').toUpperCase()],
    ['base64', bytes.toString('base64')],
    ['base64 without padding', bytes.toString('base64').replace('=', '')],
    ['base64url', bytes.toString('base64url')],
  ])('is read from %s', (_, text) => {
    expect(MasterKey.parseList(text)?.map(({ id }) => id)).toEqual([new MasterKey(bytes).id]);
  });

  test('comes in lists, the order kept', () => {
    const list = MasterKey.parseList(
      `${Buffer.alloc(32, 1).toString('hex')},\n ${Buffer.alloc(32, 2).toString('base64')}\n`,
    );
    expect(list?.map(({ id }) => id)).toEqual([keyOf(1).id, keyOf(2).id]);
  });

  test.each([
    '',
    ',',
    'short',
    'g'.repeat(64),
    'a'.repeat(63),
    `${'a'.repeat(64)},short`,
    `${'a'.repeat(64)},`.repeat(17),
  ])('is not read from %j', (text) => {
    expect(MasterKey.parseList(text)).toBeNull();
  });

  test('has an id that tells keys apart, and does not print itself', () => {
    expect(keyOf(1).id).toMatch(/^[\w-]{8}$/);
    expect(keyOf(1).id).not.toBe(keyOf(2).id);
    const printed =
      inspect(new MasterKey(bytes), { depth: 9, showHidden: true }) + JSON.stringify(new MasterKey(bytes));
    expect(printed).not.toContain(bytes.toString('hex').slice(8, 24));
    expect(printed).not.toContain(bytes.toString('base64').slice(8, 24));
  });
});
