import { createHash } from 'node:crypto';
import type { HostKey } from '../../src/application/ports/fleet/remote-host.ts';

/** A host key that depends on the seed only. It has the right form; its private half does not exist. */
export function fakeHostKey(seed: string): HostKey {
  const algorithm = 'ssh-ed25519';
  const point = createHash('sha256').update(seed).digest();
  const blob = Buffer.concat([sshString(Buffer.from(algorithm)), sshString(point)]);
  const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '');
  return { algorithm, blob: blob.toString('base64'), fingerprint: `SHA256:${digest}` };
}

/** Length (four bytes, the first byte first), then the bytes. */
const sshString = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
