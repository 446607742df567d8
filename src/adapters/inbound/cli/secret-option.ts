import { resolve } from 'node:path';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';

const MAX_SECRET_FILE_BYTES = 16 * 1024;

/** A secret from a file or standard input (`-`), or from a prompt; `option` is the one with the file. */
export async function secretOf(
  session: Session,
  file: string | undefined,
  question: string,
  option: string,
): Promise<string> {
  if (file === undefined) {
    if (!session.canAsk) throw new UsageError(`put the secret into a file: ${option} FILE.`);
    return session.io.ask(question, { hidden: true });
  }
  const { io, directory } = session;
  try {
    const text =
      file === '-'
        ? await io.readInput(MAX_SECRET_FILE_BYTES)
        : await io.readFile(resolve(directory, file), MAX_SECRET_FILE_BYTES);
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    const why = error instanceof RangeError ? 'it is too large' : (error as NodeJS.ErrnoException).code;
    throw new UsageError(`cannot read the secret from ${file === '-' ? 'standard input' : file} (${why}).`);
  }
}
