import { describe, expect, test } from 'vitest';
import { makeRecoveryCode, normaliseRecoveryCode } from '../../../src/domain/access/recovery-code.ts';

describe('A recovery code', () => {
  test('has 120 random bits', () => {
    const code = makeRecoveryCode((count) => Uint8Array.from({ length: count }, (_, at) => at));
    expect(code).toBe('0123-4567-89AB-CDEF-GHJK-MNPQ');
  });

  test('is recognised however it is typed', () => {
    expect(normaliseRecoveryCode(' oi23-4567 89ab-cdef ghjk-mnpq')).toBe('0123456789ABCDEFGHJKMNPQ');
  });

  test('stays valid if it is one of the 16 letters of earlier versions', () => {
    expect(normaliseRecoveryCode('0123-4567-89AB-CDEF')).toBe('0123456789ABCDEF');
  });

  test.each(['', '0123-4567-89AB-CDE', '0123-4567-89AB-CDEF-GHJK', 'U'.repeat(24), '0'.repeat(25)])(
    'is not %j',
    (raw) => {
      expect(normaliseRecoveryCode(raw)).toBeNull();
    },
  );
});
