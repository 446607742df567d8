import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../../domain/base/errors.ts';
import { parseJson } from '../api/strict-json.ts';
import type { HttpContext } from './context.ts';

/** The largest JSON body that is taken, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

/**
 * How much more than that is read and discarded, so that the caller sees the refusal: a connection that is closed
 * while it still sends loses the reply. A caller that sends even more loses it.
 */
const MAX_DISCARD_BYTES = 8 * MAX_BODY_BYTES;

/** How long a JSON body may take, in milliseconds. */
const BODY_TIMEOUT = 60_000;

/** The caller went away in the middle of its request. */
export class ConnectionLost extends Error {}

/** A JSON body's value; `undefined` if there is no body. Throws for anything but one JSON value. */
export async function readJson(ctx: HttpContext): Promise<unknown> {
  if (!hasBody(ctx.req)) return undefined;
  requireJson(ctx.req);
  const bytes = arrived(ctx.req) ?? (await readBody(ctx));
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new DomainError('invalid_json', 'The body is not valid UTF-8.');
  return parseJson(bytes.toString('utf8'));
}

/** The fields of a form without files; empty if there is no body. Throws for any other kind of body. */
export async function readForm(ctx: HttpContext): Promise<URLSearchParams> {
  if (!hasBody(ctx.req)) return new URLSearchParams();
  const [type = ''] = (ctx.req.headers['content-type'] ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/x-www-form-urlencoded' || ctx.req.headers['content-encoding']) {
    throw new DomainError('unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.');
  }
  const bytes = arrived(ctx.req) ?? (await readBody(ctx));
  if (!isUtf8(bytes)) throw new DomainError('invalid_request', 'The form is not valid UTF-8.');
  return new URLSearchParams(bytes.toString('utf8'));
}

const hasBody = (req: IncomingMessage): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

function requireJson(req: IncomingMessage): void {
  if (req.headers['content-type'] === 'application/json' && req.headers['content-encoding'] === undefined)
    return;
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  const encoding = req.headers['content-encoding']?.toLowerCase() ?? 'identity';
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim() === 'application/json' && utf8 && encoding === 'identity') return;
  throw new DomainError(
    'unsupported_media_type',
    'Send the body as JSON in UTF-8, uncompressed, with "Content-Type: application/json".',
  );
}

/** The body if all of it has arrived, as a small one that came with its headers; else `null`. */
function arrived(req: IncomingMessage): Buffer | null {
  const { readableLength } = req;
  if (readableLength === 0 || readableLength > MAX_BODY_BYTES) return null;
  if (readableLength !== Number(req.headers['content-length'])) return null;
  const bytes = req.read() as Buffer | null;
  // So that its end is noticed, too.
  req.resume();
  return bytes;
}

function readBody(ctx: HttpContext): Promise<Buffer> {
  const { req } = ctx;
  const tooLarge = (): DomainError => {
    ctx.set('Connection', 'close');
    return new DomainError('body_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  };
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const late = setTimeout(() => req.destroy(), BODY_TIMEOUT);
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks.length = 0;
      if (size > MAX_DISCARD_BYTES) reject(tooLarge());
    });
    req.on('end', () => {
      clearTimeout(late);
      const [only] = chunks;
      if (size > MAX_BODY_BYTES) reject(tooLarge());
      else resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks));
    });
    // Closing comes after every end, too.
    req.on('close', () => {
      clearTimeout(late);
      if (!req.complete) reject(new ConnectionLost());
    });
    req.on('error', () => reject(new ConnectionLost()));
  });
}
