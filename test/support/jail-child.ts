// File roots of this machine in a separate process, possibly of another user, which may be killed. Calls come from
// ChildJails.
import { buffer } from 'node:stream/consumers';
import type { JailFs, WriteOptions } from '../../src/application/ports/files/jail-fs.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import { JailPath } from '../../src/domain/files/jail-path.ts';
import { HERE, localJails } from '../adapters/outbound/hosts/jail/here.ts';

export interface Call {
  readonly id: number;
  readonly jail: string;
  readonly wholeHost: boolean;
  readonly method:
    | 'open'
    | 'list'
    | 'stat'
    | 'read'
    | 'readStream'
    | 'write'
    | 'makeDirectory'
    | 'rename'
    | 'remove'
    | 'tree'
    | 'removeTree'
    | 'mode'
    | 'changeMode'
    | 'sweep';
  readonly path: string;
  readonly rest: readonly unknown[];
}

/** A piece of the content; `null` is its end, `broken` an error in its place. */
export interface Piece {
  readonly id: number;
  readonly piece: Uint8Array | null | 'broken';
}

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly code: string | null; readonly message: string };

const jails = localJails();
const writes = new Map<number, (piece: Piece['piece']) => void>();

/** Takes what arrives from now on. */
function piecesOf(id: number): AsyncGenerator<Uint8Array> {
  const arrived: Piece['piece'][] = [];
  const waiting = { wake: (): void => undefined };
  writes.set(id, (piece) => {
    arrived.push(piece);
    waiting.wake();
  });
  return inTurn(arrived, waiting);
}

async function* inTurn(arrived: Piece['piece'][], waiting: { wake: () => void }): AsyncGenerator<Uint8Array> {
  for (;;) {
    const piece = arrived.shift();
    if (piece === null) return;
    if (piece === 'broken') throw new Error('the content is broken');
    if (piece !== undefined) yield piece;
    else {
      await new Promise<void>((resolve) => {
        waiting.wake = resolve;
      });
    }
  }
}

async function answer(
  { id, jail, wholeHost, method, path, rest }: Call,
  content: AsyncIterable<Uint8Array>,
): Promise<unknown> {
  const fs: JailFs = await jails.open(HERE, jail, wholeHost ? { wholeHost } : {});
  const place = JailPath.parse(path);
  if (method === 'open') return null;
  if (method === 'write')
    return fs.write(place, content, rest[0] as WriteOptions).finally(() => writes.delete(id));
  if (method === 'readStream') {
    const { content: stream, ...told } = await fs.readStream(place, rest[0] as number);
    return { ...told, bytes: await buffer(stream) };
  }
  const call = fs[method].bind(fs) as (path: JailPath, ...rest: readonly unknown[]) => Promise<unknown>;
  return call(place, ...rest);
}

process.on('message', (message: Call | Piece) => {
  if ('piece' in message) {
    writes.get(message.id)?.(message.piece);
    return;
  }
  const { id } = message;
  answer(message, piecesOf(id)).then(
    (value) => process.send?.({ id, value } satisfies Reply),
    (error: unknown) => {
      const code = isDomainError(error) ? error.code : null;
      process.send?.({ id, code, message: String(error) } satisfies Reply);
    },
  );
});
process.on('disconnect', () => process.exit());
