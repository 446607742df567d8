import { isUtf8 } from 'node:buffer';

/**
 * Bytes, as names on Linux are: a string with one character (U+0000 to U+00FF) a byte. V8 keeps it in as many bytes,
 * and comparing such strings compares their bytes.
 */
export type ByteString = string & { readonly __bytes: true };

/** Stands for itself in the text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the same too
const ASCII = /^[\0-\x7f]*$/;

export const bytesOfText = (text: string): ByteString =>
  (ASCII.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')) as ByteString;
export const bytesOfBuffer = (buffer: Buffer): ByteString => buffer.toString('latin1') as ByteString;
export const toBuffer = (bytes: ByteString): Buffer => Buffer.from(bytes, 'latin1');

/** The bytes as UTF-8 text, or `null` if they are not valid. */
export function textOf(bytes: ByteString): string | null {
  const buffer = toBuffer(bytes);
  return isUtf8(buffer) ? buffer.toString('utf8') : null;
}

export const joinBytes = (directory: ByteString, name: ByteString): ByteString =>
  (directory === '' ? name : `${directory}/${name}`) as ByteString;

/** For people, on one line: control characters and invalid UTF-8 are shown as `\n`, `\t` or `\xff`. */
export function display(bytes: ByteString): string {
  const text = textOf(bytes);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  if (text !== null) return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, escaped);
  return bytes.replace(/[^\x20-\x7e]/g, escaped);
}

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  const code = character.charCodeAt(0);
  return code > 0xff ? `\\u${code.toString(16)}` : `\\x${code.toString(16).padStart(2, '0')}`;
}

/**
 * The order of a tree walk: a directory before its contents, names by their bytes. So "/" comes before every other
 * byte ("a/x" before "a.b", as "a" comes before "a.b").
 */
export function compareWalkOrder(a: ByteString, b: ByteString): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    if (left === SLASH) return -1;
    if (right === SLASH) return 1;
    return left - right;
  }
  return a.length - b.length;
}

const SLASH = 0x2f;

const CHUNK_BYTES = 64 * 1024;

/** For commands that read names closed by NULs: paths, each behind `start`. Millions of them are never in memory twice. */
export function* closedPaths(paths: Iterable<ByteString>, start = ''): Generator<Buffer> {
  let chunk = '';
  for (const path of paths) {
    chunk += `${start}${path}\0`;
    if (chunk.length < CHUNK_BYTES) continue;
    yield Buffer.from(chunk, 'latin1');
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk, 'latin1');
}
