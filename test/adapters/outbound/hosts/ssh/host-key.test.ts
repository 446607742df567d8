import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  hostKeyAlgorithms,
  hostKeyOf,
  isPinned,
  keyTypeOf,
} from '../../../../../src/adapters/outbound/hosts/ssh/host-key.ts';
import { isNativeCryptoAvailable } from '../../../../../src/adapters/outbound/hosts/ssh/native-crypto.ts';
import { fakeHostKey } from '../../../../fakes/fake-host-key.ts';

const blobOf = (type: string): string =>
  Buffer.concat([Buffer.from([0, 0, 0, type.length]), Buffer.from(type), Buffer.alloc(40, type)]).toString(
    'base64',
  );

describe('host keys', () => {
  it('are read from their blob alone', () => {
    const key = fakeHostKey('web1');
    expect(hostKeyOf(Buffer.from(key.blob, 'base64'))).toEqual(key);
  });

  it.each(['', 'AAAA', 'AAAAAA==', '/////w=='])('of no sense (%j) have no type, and fit nothing', (blob) => {
    expect(keyTypeOf(Buffer.from(blob, 'base64'))).toMatch(/^[^a-z]*$/);
    expect(isPinned(Buffer.from(blob, 'base64'), fakeHostKey('web1'))).toBe(false);
  });

  it('fit only the same bytes', () => {
    const key = fakeHostKey('web1');
    const blob = Buffer.from(key.blob, 'base64');
    expect(isPinned(blob, key)).toBe(true);
    for (let at = 0; at < blob.length; at++) {
      const other = Buffer.from(blob);
      other[at] = (other[at] ?? 0) ^ 1;
      expect(isPinned(other, key)).toBe(false);
    }
    expect(isPinned(Buffer.concat([blob, Buffer.from([0])]), key)).toBe(false);
  });

  it.each([
    ['ssh-ed25519', ['ssh-ed25519']],
    ['ecdsa-sha2-nistp256', ['ecdsa-sha2-nistp256']],
    ['ecdsa-sha2-nistp521', ['ecdsa-sha2-nistp521']],
    ['ssh-rsa', ['rsa-sha2-512', 'rsa-sha2-256']],
  ])('of type %s are asked for first, then the others', (type, first) => {
    const asked = hostKeyAlgorithms({ ...fakeHostKey('x'), blob: blobOf(type) });
    expect(asked.slice(0, first.length)).toEqual(first);
    expect(new Set(asked)).toEqual(new Set(hostKeyAlgorithms(null)));
    expect(asked).not.toContain('ssh-rsa');
  });
});

describe('isNativeCryptoAvailable', () => {
  it('reports whether ssh2 was built when it was installed', () => {
    const built = fileURLToPath(
      new URL(
        '../../../../../node_modules/ssh2/lib/protocol/crypto/build/Release/sshcrypto.node',
        import.meta.url,
      ),
    );
    expect(isNativeCryptoAvailable()).toBe(existsSync(built));
  });
});
