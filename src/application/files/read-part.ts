import { InvalidInput } from '../../domain/base/errors.ts';
import type { JailPath } from '../../domain/files/jail-path.ts';
import type { JailFs } from '../ports/files/jail-fs.ts';

/** The most that an agent gets of a file at once, in bytes. */
export const MAX_READ = 256 * 1024;
/** How far a file is read in search of a line, in bytes. */
const MAX_SEARCHED = 8 * 1024 * 1024;

/** What is read of a file: bytes, lines (from 1, the last one included), or lines at the end. */
export type ReadRange =
  | { readonly offset: number; readonly length?: number | undefined }
  | { readonly fromLine: number; readonly toLine: number }
  | { readonly lastLines: number };

export interface FilePart {
  readonly path: JailPath;
  readonly size: number;
  /** The offset of the bytes in it. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

type Part = Omit<FilePart, 'path'>;

/** At most `MAX_READ` bytes. Throws `invalid_input` for lines further into a file than 8 MiB. */
export function readPart(fs: JailFs, path: JailPath, range: ReadRange): Promise<Part> {
  if ('offset' in range) return readBytes(fs, path, range);
  return 'lastLines' in range ? readLastLines(fs, path, range.lastLines) : readLines(fs, path, range);
}

async function readBytes(
  fs: JailFs,
  path: JailPath,
  { offset, length = MAX_READ }: Extract<ReadRange, { readonly offset: number }>,
): Promise<Part> {
  return { offset, ...(await fs.read(path, { offset, length: Math.min(length, MAX_READ) })) };
}

const NEWLINE = 10;

/** Reads the file from its start until the lines are found: only their place says which ones they are. */
async function readLines(
  fs: JailFs,
  path: JailPath,
  { fromLine, toLine }: Extract<ReadRange, { readonly fromLine: number }>,
): Promise<Part> {
  const found: Uint8Array[] = [];
  let line = 1;
  let begins: number | null = fromLine === 1 ? 0 : null;
  for (let at = 0; ; ) {
    if (at >= MAX_SEARCHED) throw tooFar();
    const { bytes, size } = await fs.read(path, { offset: at, length: MAX_READ });
    let from = begins === null ? bytes.length : 0;
    let to = bytes.length;
    for (let next = bytes.indexOf(NEWLINE); next !== -1; next = bytes.indexOf(NEWLINE, next + 1)) {
      line += 1;
      if (line === fromLine) {
        from = next + 1;
        begins = at + from;
      }
      if (line === toLine + 1) {
        to = next + 1;
        break;
      }
    }
    found.push(bytes.subarray(from, to));
    at += bytes.length;
    const isWhole = line > toLine || at >= size || bytes.length === 0;
    if (isWhole || found.reduce((sum, part) => sum + part.length, 0) >= MAX_READ)
      return { size, offset: begins ?? size, bytes: Buffer.concat(found).subarray(0, MAX_READ) };
  }
}

/** Whole lines, unless the last one alone is longer than a read. */
async function readLastLines(fs: JailFs, path: JailPath, count: number): Promise<Part> {
  const head = await fs.read(path, { offset: 0, length: MAX_READ });
  const start = Math.max(0, head.size - MAX_READ);
  const { bytes, size } = start === 0 ? head : await fs.read(path, { offset: start, length: MAX_READ });
  let from = bytes.length;
  // The byte before `from` may be the end of the line that is looked for.
  for (let left = count; left > 0 && from > 0; left -= 1)
    from = from < 2 ? 0 : bytes.lastIndexOf(NEWLINE, from - 2) + 1;
  if (from === 0 && start > 0) {
    const next = bytes.indexOf(NEWLINE) + 1;
    if (next < bytes.length) from = next;
  }
  return { size, offset: start + from, bytes: bytes.subarray(from) };
}

const tooFar = (): InvalidInput =>
  new InvalidInput([{ path: '/from_line', message: 'Is beyond the first 8 MiB of the file; use offset.' }]);
