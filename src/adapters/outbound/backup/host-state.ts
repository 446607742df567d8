import { type FileHandle, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ByteString, toBuffer } from './byte-string.ts';
import { LineFile, linesOf } from './line-file.ts';
import { createFile, isErrno } from './store-directory.ts';
import type { SnapshotPlaces } from './store-layout.ts';

/**
 * A snapshot's paths as they were on their host: beside the manifest, with a line for each of its lines. Only a help
 * for the next backup: without it, files are compared by their contents. Earlier versions ignore it.
 */
const NAME = 'host-state';
const HEADER = 'drover-host-state 1';
/** Marks keys of files that may have changed after they were checked without a change of their times. */
const UNSURE = '!';

const placeOf = ({ directory }: SnapshotPlaces): string => join(directory, NAME);
const headerOf = (manifestSha256: string): ByteString => `${HEADER} ${manifestSha256}` as ByteString;

/** Removes what an earlier attempt wrote. */
export const removeHostState = (snapshot: SnapshotPlaces): Promise<void> =>
  rm(placeOf(snapshot), { force: true });

export class HostStateWriter {
  readonly #lines: LineFile;

  private constructor(file: FileHandle) {
    this.#lines = new LineFile(file);
  }

  static async create(snapshot: SnapshotPlaces): Promise<HostStateWriter> {
    const writer = new HostStateWriter(await createFile(placeOf(snapshot)));
    await writer.#lines.add(headerOf('0'.repeat(64)));
    return writer;
  }

  /** Await what it returns before you add more. */
  add(key: string, isSure: boolean): void | Promise<void> {
    return this.#lines.add((isSure ? key : `${key}${UNSURE}`) as ByteString);
  }

  /** The header comes last: only then is it known which manifest this belongs to. The file is not flushed to disk. */
  finish(manifestSha256: string): Promise<void> {
    return this.#lines.finish(toBuffer(headerOf(manifestSha256)));
  }

  /** Closes a file that is given up. */
  abandon(): Promise<void> {
    return this.#lines.abandon();
  }
}

/** The keys in the order of the manifest's lines; none if the file is missing or belongs to another manifest. */
export async function* hostStateLines(
  snapshot: SnapshotPlaces,
  manifestSha256: string,
): AsyncGenerator<readonly string[], undefined, undefined> {
  let isFirst = true;
  try {
    for await (const lines of linesOf(placeOf(snapshot))) {
      if (isFirst && (lines.shift() ?? '') !== headerOf(manifestSha256)) return;
      isFirst = false;
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
}

export const isUnsure = (key: string): boolean => key.endsWith(UNSURE);
export const sureKey = (key: string): string => (isUnsure(key) ? key.slice(0, -UNSURE.length) : key);
