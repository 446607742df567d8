import { hash, timingSafeEqual } from 'node:crypto';
import type { Digest } from '../../../application/ports/base/digest.ts';

export class NodeDigest implements Digest {
  sha256(text: string): string {
    return hash('sha256', text);
  }

  equal(a: string, b: string): boolean {
    // Digests have one length, which timingSafeEqual asks for, and hide the lengths of the two.
    return timingSafeEqual(rawDigest(a), rawDigest(b));
  }
}

const rawDigest = (text: string): Buffer => hash('sha256', text, 'buffer');
