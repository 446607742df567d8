import { expect, it } from 'vitest';
import { fingerprintOf } from './layers.ts';

it('names a key as OpenSSH does', () => {
  // The ed25519 host key that GitHub publishes, with its fingerprint.
  const blob = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';
  expect(fingerprintOf(blob)).toBe('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU');
});
