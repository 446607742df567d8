/** The helper starts a program for each piece. */
const PIECE_BYTES = 1024 * 1024;

export interface Piece {
  readonly piece: Uint8Array;
  readonly last: boolean;
}

/** Content in pieces of about 1 MiB, the last one marked; there is always a last one, of no bytes where there are none. */
export async function* inPieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let gathered: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    if (size > 0 && size + chunk.length > PIECE_BYTES) {
      yield { piece: Buffer.concat(gathered), last: false };
      gathered = [];
      size = 0;
    }
    gathered.push(chunk);
    size += chunk.length;
  }
  yield { piece: Buffer.concat(gathered), last: true };
}
