import { randomBytes, randomUUID } from 'node:crypto';
import type { Randomness } from '../../../application/ports/base/randomness.ts';

/** The kernel's random numbers. */
export class SystemRandomness implements Randomness {
  bytes(count: number): Uint8Array {
    return randomBytes(count);
  }

  uuid(): string {
    return randomUUID();
  }
}
