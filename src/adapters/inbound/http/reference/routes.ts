import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { DOCUMENT_PATH } from '../../api/openapi/document.ts';
import type { OpenApiDocument } from '../../api/openapi/types.ts';
import { API_PREFIX } from '../../api/operation.ts';
import type { FixedRoute, HttpContext } from '../context.ts';
import { JSON_TYPE, methodNotAllowed } from '../replies.ts';
import { referencePage, STYLE_PATH } from './page.ts';
import { STYLE } from './style.ts';

const PAGE_PATH = '/api/docs';

/** The page's content security policy: itself, with our style. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document of `/api/v1` for programs, and as a page for people. Neither requires a token. */
export function referenceRoutes(document: OpenApiDocument): readonly FixedRoute[] {
  return [
    fixed(`${API_PREFIX}${DOCUMENT_PATH}`, JSON_TYPE, JSON.stringify(document)),
    fixed(PAGE_PATH, 'text/html; charset=utf-8', referencePage(document), {
      'Content-Security-Policy': PAGE_POLICY,
    }),
    fixed(STYLE_PATH, 'text/css; charset=utf-8', STYLE),
  ];
}

/** Something that stays as it is as long as the process runs. */
function fixed(path: string, type: string, text: string, headers: Record<string, string> = {}): FixedRoute {
  const bytes = Buffer.from(text);
  const packed = gzipSync(bytes);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return {
    path,
    handle(ctx: HttpContext) {
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx, ['GET', 'HEAD']);
      const zip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
      ctx.set({
        ...headers,
        'Cache-Control': 'no-cache',
        ETag: zip ? `"${hash}-gzip"` : `"${hash}"`,
        Vary: 'Accept-Encoding',
      });
      ctx.status = 200;
      if (ctx.fresh) {
        ctx.status = 304;
        return;
      }
      ctx.set('Content-Type', type);
      if (zip) ctx.set('Content-Encoding', 'gzip');
      ctx.body = zip ? packed : bytes;
    },
  };
}
