import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { JailPath } from '../../../../domain/files/jail-path.ts';
import { changedWhileRead } from './refusals.ts';

/**
 * A stream that passes its input on, and fails with `changed_since_read` if that differs from the announced content.
 * The last piece is held back until all of it has been compared, so that a reader that counts bytes never gets a
 * wrong complete file.
 */
export function asHashed(
  source: AsyncIterable<Uint8Array> & { destroy(): unknown },
  announced: { readonly size: number; readonly sha256: string },
  path: JailPath,
  signal?: AbortSignal,
): Readable {
  async function* compared(): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    let size = 0;
    let held: Uint8Array | null = null;
    for await (const chunk of source) {
      if (held !== null) yield held;
      size += chunk.length;
      if (size > announced.size) throw changedWhileRead(path);
      hash.update(chunk);
      held = chunk;
    }
    if (size !== announced.size || hash.digest('hex') !== announced.sha256) throw changedWhileRead(path);
    if (held !== null) yield held;
  }
  const stream = Readable.from(compared(), { objectMode: false, ...(signal ? { signal } : {}) });
  // a generator that was never started does not close its source
  stream.once('close', () => source.destroy());
  return stream;
}
