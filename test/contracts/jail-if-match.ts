import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { JailFs } from '../../src/application/ports/files/jail-fs.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import { rounds } from '../support/rounds.ts';
import { at, chunks } from './jail-bench.ts';

const sha256 = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');

/**
 * Several services count in one file, each with its last read as if_match: no count is lost if of two that replace
 * the same content only one succeeds.
 */
export async function countTogether(services: readonly JailFs[]): Promise<void> {
  const [first] = services;
  await first?.write(at('count'), chunks('0'), { expect: 'any', most: 100 });
  const each = rounds(20, 250);
  const count = async (fs: JailFs): Promise<void> => {
    for (let done = 0; done < each; ) {
      const { bytes } = await fs.read(at('count'), { offset: 0, length: 100 });
      const next = String(Number(Buffer.from(bytes).toString()) + 1);
      try {
        await fs.write(at('count'), chunks(next), { expect: { sha256: sha256(bytes) }, most: 100 });
        done += 1;
      } catch (error) {
        expect(isDomainError(error) && error.code, String(error)).toBe('changed_since_read');
      }
    }
  };
  await Promise.all(services.map(count));
  const { bytes } = (await first?.read(at('count'), { offset: 0, length: 100 })) ?? { bytes: '' };
  expect(Buffer.from(bytes).toString()).toBe(String(services.length * each));
}
