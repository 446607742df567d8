import { resolve } from 'node:path';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';

/** A file that an operator names, or standard input for `-`. Throws `UsageError`. */
export async function readTextFile(
  { io, directory }: Session,
  file: string,
  maxBytes: number,
): Promise<string> {
  try {
    return file === '-'
      ? await io.readInput(maxBytes)
      : await io.readFile(resolve(directory, file), maxBytes);
  } catch (error) {
    const why = error instanceof RangeError ? 'it is too large' : (error as NodeJS.ErrnoException).code;
    throw new UsageError(`cannot read ${file === '-' ? 'standard input' : file} (${why}).`);
  }
}
