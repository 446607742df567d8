import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { DOCUMENT_PATH } from '../api/openapi/document.ts';
import type { OpenApiDocument } from '../api/openapi/types.ts';
import { API_PREFIX } from '../api/operation.ts';
import type { FixedRoute, HttpContext } from './context.ts';
import { JSON_TYPE, methodNotAllowed } from './replies.ts';

/** The OpenAPI document of `/api/v1`, without a token; people read the same in the documentation. */
export function openApiRoutes(document: () => OpenApiDocument): readonly FixedRoute[] {
  return [
    fixed(`${API_PREFIX}${DOCUMENT_PATH}`, JSON_TYPE, () => JSON.stringify(document())),
    {
      path: '/api/docs',
      handle(ctx: HttpContext) {
        if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx, ['GET', 'HEAD']);
        ctx.status = 308;
        ctx.set('Location', '/docs/rest');
      },
    },
  ];
}

/** Something that stays as it is as long as the process runs, made when it is first asked for. */
function fixed(path: string, type: string, text: () => string): FixedRoute {
  let content: ReturnType<typeof packedContent> | undefined;
  return {
    path,
    handle(ctx: HttpContext) {
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx, ['GET', 'HEAD']);
      content ??= packedContent(text());
      const { bytes, packed, hash } = content;
      const zip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
      ctx.set({
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

function packedContent(text: string) {
  const bytes = Buffer.from(text);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, packed: gzipSync(bytes), hash };
}
