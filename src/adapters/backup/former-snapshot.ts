import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { DomainError } from '../../domain/errors.ts';
import { type ByteString, bytesOfBuffer, bytesOfText } from './byte-string.ts';
import { readHostState } from './host-state.ts';
import { decodeEntry, type ManifestEntry } from './manifest-entry.ts';
import type { SnapshotPlaces } from './store-layout.ts';

const READ_BYTES = 256 * 1024;

/** A path of the snapshot that a backup builds on. */
export interface FormerEntry {
  readonly path: ByteString;
  /** Its line of the manifest, as it is there. */
  readonly line: string;
  /** What its host told of it; `null` for a snapshot of a version that did not keep that. */
  readonly key: string | null;
}

/**
 * The entries of a snapshot that a backup builds on, in walk order. A manifest that is not the one that was recorded gives
 * none. Lines are handed on as they are: to take one apart costs more than to compare it.
 */
export async function* formerEntries(
  snapshot: SnapshotPlaces,
  manifestSha256: string,
): AsyncGenerator<readonly FormerEntry[]> {
  if ((await sha256Of(snapshot.manifest)) !== manifestSha256) return;
  const keys = await readHostState(snapshot, manifestSha256);
  let rest = '';
  let index = 0;
  const decoder = new TextDecoder();
  const stream = createReadStream(snapshot.manifest, { highWaterMark: READ_BYTES });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    yield lines.map((line) => ({ path: pathOf(line), line, key: keys?.[index++] ?? null }));
  }
}

export const entryOfFormer = ({ line }: FormerEntry): ManifestEntry => decodeEntry(line);

/** The manifest's sum has been checked, so that its lines are ours. */
function pathOf(line: string): ByteString {
  const { path, pathBase64 } = JSON.parse(line) as { path?: string; pathBase64?: string };
  if (path !== undefined) return bytesOfText(path);
  if (pathBase64 !== undefined) return bytesOfBuffer(Buffer.from(pathBase64, 'base64'));
  throw new DomainError('snapshot_damaged', 'A line of a manifest has no path.');
}

/** `null` where it cannot be read. */
async function sha256Of(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES }))
      hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch {
    return null;
  }
}
