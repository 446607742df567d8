import type { Readable } from 'node:stream';

const NEWLINE = 10;

/** A line that was longer than allowed; what was in it is gone. */
export const TOO_LONG = Symbol('too long');

/**
 * Splits a stream of bytes at its newlines, which are not part of the lines. Of a line longer than `longest` bytes
 * nothing is kept. What follows the last newline is a line too, unless it is empty.
 */
export async function* linesOf(
  input: Readable,
  longest: number,
): AsyncGenerator<Buffer | typeof TOO_LONG, void, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length > longest) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = (): Buffer | typeof TOO_LONG => {
    const line = length > longest ? TOO_LONG : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield take();
}
