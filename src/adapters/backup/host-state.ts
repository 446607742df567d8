import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createFile, isErrno } from './store-directory.ts';
import type { SnapshotPlaces } from './store-layout.ts';

/**
 * What a snapshot's paths were on their host: beside the manifest, a line for each of its lines. A help for the next
 * backup and nothing more: without it, files are compared by their contents. Earlier versions know nothing of it.
 */
const NAME = 'host-state';
const HEADER = 'drover-host-state 1';
/** Behind the key of what may have changed after it was looked at without its times telling. */
const UNSURE = '!';
const WRITE_BYTES = 256 * 1024;

const placeOf = ({ directory }: SnapshotPlaces): string => join(directory, NAME);

export class HostStateWriter {
  readonly #lines: string[] = [];
  readonly #place: string;

  constructor(snapshot: SnapshotPlaces) {
    this.#place = placeOf(snapshot);
  }

  add(key: string, isSure: boolean): void {
    this.#lines.push(isSure ? key : `${key}${UNSURE}`);
  }

  async finish(manifestSha256: string): Promise<void> {
    const file = await createFile(this.#place);
    try {
      let chunk = `${HEADER} ${manifestSha256}\n`;
      for (const line of this.#lines) {
        chunk += `${line}\n`;
        if (chunk.length < WRITE_BYTES) continue;
        await file.appendFile(chunk, 'latin1');
        chunk = '';
      }
      await file.appendFile(chunk, 'latin1');
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

/** The keys by line of the manifest; `null` where there are none, or where they are another manifest's. */
export async function readHostState(
  snapshot: SnapshotPlaces,
  manifestSha256: string,
): Promise<readonly string[] | null> {
  const lines: string[] = [];
  let header: string | null = null;
  try {
    const input = createReadStream(placeOf(snapshot), { encoding: 'latin1', highWaterMark: 256 * 1024 });
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (header === null) header = line;
      else lines.push(line);
    }
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
  return header === `${HEADER} ${manifestSha256}` ? lines : null;
}

export const isUnsure = (key: string): boolean => key.endsWith(UNSURE);
export const sureKey = (key: string): string => (isUnsure(key) ? key.slice(0, -UNSURE.length) : key);
