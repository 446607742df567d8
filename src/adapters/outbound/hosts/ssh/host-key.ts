import { createHash, timingSafeEqual } from 'node:crypto';
import type { ServerHostKeyAlgorithm } from 'ssh2';
import type { HostKey } from '../../../../application/ports/fleet/remote-host.ts';
import { withoutEnd } from '../../../../domain/base/without-end.ts';

/** In our order of preference; signatures over SHA-1 (`ssh-rsa`) and DSA are not asked for at all. */
const ALGORITHMS: readonly ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/** `SHA256:` and the unpadded base64 digest, as OpenSSH prints it. */
export const fingerprintOf = (blob: Buffer): string =>
  `SHA256:${withoutEnd(createHash('sha256').update(blob).digest('base64'), '=')}`;

/** The algorithm that a key blob names: its first field, a length of four bytes and text (RFC 4253, 6.6). */
export function keyTypeOf(blob: Buffer): string {
  const length = blob.length >= 4 ? blob.readUInt32BE(0) : 0;
  const named = blob.subarray(4, 4 + Math.min(length, 64)).toString('latin1');
  return /^[\w@.-]*$/.test(named) ? named : '';
}

export const hostKeyOf = (blob: Buffer): HostKey => ({
  algorithm: keyTypeOf(blob),
  blob: blob.toString('base64'),
  fingerprint: fingerprintOf(blob),
});

export function isPinned(presented: Buffer, pinned: HostKey): boolean {
  const expected = Buffer.from(pinned.blob, 'base64');
  return presented.length === expected.length && timingSafeEqual(presented, expected);
}

/**
 * The host key algorithms to request: the pinned key's type first, so that a host with several keys presents that
 * one. The others stay in the list, so that a host which lost that key is reported with its current one.
 */
export function hostKeyAlgorithms(pinned: HostKey | null): ServerHostKeyAlgorithm[] {
  if (!pinned) return [...ALGORITHMS];
  const type = keyTypeOf(Buffer.from(pinned.blob, 'base64'));
  const fits = (algorithm: string): boolean =>
    type === 'ssh-rsa' ? algorithm.startsWith('rsa-') : algorithm === type;
  return [...ALGORITHMS.filter(fits), ...ALGORITHMS.filter((algorithm) => !fits(algorithm))];
}
