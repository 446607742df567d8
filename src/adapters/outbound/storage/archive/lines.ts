/** A row with a result of 16 MB is well below. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;
const CHUNK = 64 * 1024;

/** JSON values, each on a line of its own, in pieces of some size. */
export async function* toLines(values: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const value of values) {
    text += `${JSON.stringify(value)}\n`;
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** The values again. Throws where a line is no JSON, too long, or cut. */
export async function* fromLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      yield JSON.parse(Buffer.concat([...rest, piece.subarray(from, end)]).toString('utf8'));
      rest = [];
      length = 0;
      from = end + 1;
    }
    const left = piece.subarray(from);
    length += left.length;
    if (length > MAX_LINE_LENGTH) throw new RangeError('a line is too long');
    if (left.length > 0) rest.push(Buffer.from(left));
  }
  if (length > 0) throw new SyntaxError('the last line is cut');
}
