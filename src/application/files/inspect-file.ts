import { isDomainError } from '../../domain/base/errors.ts';
import type { EntryFacts } from '../../domain/files/directory-entry.ts';
import type { JailPath } from '../../domain/files/jail-path.ts';
import type { JailFs } from '../ports/files/jail-fs.ts';

/** The state of an entry, for a change of it. */
export interface InspectedFile extends EntryFacts {
  /** Of a regular file; null if it is too large. */
  readonly sha256: string | null;
  /** Of a regular file that is not longer than what is read. */
  readonly content: Uint8Array | null;
}

/**
 * Hashes files up to `most` bytes, and reads those up to `read`. Throws `file_not_found` or `not_a_directory` for a
 * missing directory.
 */
export async function inspectFile(
  fs: JailFs,
  path: JailPath,
  { most, read }: { readonly most: number; readonly read: number },
): Promise<InspectedFile | null> {
  const none = { sha256: null, content: null };
  let facts: EntryFacts;
  try {
    facts = await fs.stat(path);
  } catch (error) {
    if (!isDomainError(error, 'file_not_found')) throw error;
    await fs.list(path.entry.directory, 1);
    return null;
  }
  if (facts.kind !== 'file') return { ...facts, ...none };
  try {
    const { size, sha256, content } = await fs.readStream(path, most);
    const parts: Uint8Array[] = [];
    for await (const part of content) if (size <= read) parts.push(part as Uint8Array);
    return { ...facts, size, sha256, content: size <= read ? Buffer.concat(parts) : null };
  } catch (error) {
    if (isDomainError(error, 'file_too_large')) return { ...facts, ...none };
    throw error;
  }
}
