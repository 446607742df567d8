import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
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
const BYTES = 256 * 1024;

const placeOf = ({ directory }: SnapshotPlaces): string => join(directory, NAME);
const headerOf = (manifestSha256: string): string => `${HEADER} ${manifestSha256}\n`;

export class HostStateWriter {
  readonly #file: FileHandle;
  #chunk = headerOf('0'.repeat(64));

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(snapshot: SnapshotPlaces): Promise<HostStateWriter> {
    return new HostStateWriter(await createFile(placeOf(snapshot)));
  }

  add(key: string, isSure: boolean): void | Promise<void> {
    this.#chunk += isSure ? `${key}\n` : `${key}${UNSURE}\n`;
    if (this.#chunk.length >= BYTES) return this.#flush();
  }

  /** The header comes last: only then is it known which manifest this belongs to. The file is not flushed to disk. */
  async finish(manifestSha256: string): Promise<void> {
    await this.#flush();
    const header = Buffer.from(headerOf(manifestSha256));
    await this.#file.write(header, 0, header.length, 0);
    await this.#file.close();
  }

  /** Closes a file that is given up. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const chunk = this.#chunk;
    this.#chunk = '';
    await this.#file.appendFile(chunk, 'latin1');
  }
}

/** The keys in the order of the manifest's lines; none if the file is missing or belongs to another manifest. */
export async function* hostStateLines(
  snapshot: SnapshotPlaces,
  manifestSha256: string,
): AsyncGenerator<readonly string[], undefined, undefined> {
  let rest = '';
  let isFirst = true;
  try {
    for await (const chunk of createReadStream(placeOf(snapshot), {
      encoding: 'latin1',
      highWaterMark: BYTES,
    })) {
      const lines = `${rest}${chunk as string}`.split('\n');
      rest = lines.pop() ?? '';
      if (isFirst && `${lines.shift() ?? ''}\n` !== headerOf(manifestSha256)) return;
      isFirst = false;
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
}

export const isUnsure = (key: string): boolean => key.endsWith(UNSURE);
export const sureKey = (key: string): string => (isUnsure(key) ? key.slice(0, -UNSURE.length) : key);
