import { promisify } from 'node:util';
import { brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { HttpContext } from '../http/context.ts';

export type Encoding = 'br' | 'gzip';

/** Pages that are smaller gain nothing, in bytes. */
const MIN_PAGE = 1_024;
/** The best that takes less than 100 ms for the largest file. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
/** For replies that differ each time. */
const GZIP = { level: 6 };

/** The best encoding that the browser takes; `null`: none. */
export function encodingFor(accepted: string): Encoding | null {
  const taken = new Map(
    accepted.split(',').map((each) => {
      const [name = '', ...parameters] = each
        .toLowerCase()
        .split(';')
        .map((part) => part.trim());
      return [name, parameters.every((parameter) => !/^q=0(?:\.0*)?$/.test(parameter))] as const;
    }),
  );
  if (taken.get('br')) return 'br';
  return taken.get('gzip') ? 'gzip' : null;
}

/** Of a file that stays the same. */
export const pack = (bytes: Buffer, encoding: Encoding): Buffer =>
  encoding === 'br' ? brotliCompressSync(bytes, BROTLI) : gzipSync(bytes, { level: 9 });

const inGzip = promisify(gzip);

/**
 * Routes whose replies may contain a secret. The length of a compressed page reveals its content to an attacker who
 * can add text to it and measure the reply (BREACH).
 */
const SECRET =
  /^\/(?:account|code|confirm|sign-in|welcome|settings\/(?:tokens|users|keys|alerts)|servers\/:id\/(?:files|host|setup)|snapshots)\b/;

/** Sends a page, compressed if the browser takes that and no secret can be on it. */
export async function sendPage(ctx: HttpContext, html: string): Promise<void> {
  ctx.set('Content-Type', 'text/html; charset=utf-8');
  const mayPack = ctx.method === 'GET' && !SECRET.test(ctx.state.route ?? '') && html.length > MIN_PAGE;
  if (mayPack) ctx.set('Vary', 'Accept-Encoding');
  if (!mayPack || encodingFor(ctx.get('Accept-Encoding').replace(/\bbr\b/, '')) !== 'gzip') {
    ctx.body = html;
    return;
  }
  ctx.set('Content-Encoding', 'gzip');
  ctx.body = await inGzip(html, GZIP);
}
