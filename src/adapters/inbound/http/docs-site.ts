import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Middleware } from 'koa';
import type { HttpContext, RequestState } from './context.ts';
import { methodNotAllowed, sendText } from './replies.ts';

const PREFIX = '/docs';
/** What the build names files; nothing with a dot at the start of a name, which also leaves out `..`. */
const FILE_PATH = /^(?:[\w@-][\w@.-]*\/)*(?:[\w@-][\w@.-]*)?$/;
const HASHED = /^assets\//;
const YEAR = 31_536_000;
const NOT_BUILT = 'The documentation is not built. In the clone, run: npm run docs:site\n';
/** Below this, compression saves nothing. */
const MIN_GZIP_BYTES = 1_024;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

interface SiteFile {
  readonly name: string;
  readonly path: string;
  readonly etag: string;
}

/**
 * The public documentation as `npm run docs:site` built it: it contains nothing of the fleet, and users who cannot
 * sign in need it most. The build may take place while the service runs.
 */
export function docsSite(directory: string): Middleware<RequestState> {
  let policy = { etag: '', text: '' };

  const find = async (name: string): Promise<SiteFile | null> => {
    const path = join(directory, name);
    const found = await stat(path).catch(() => null);
    if (!found?.isFile()) return null;
    return { name, path, etag: `"${found.size.toString(36)}-${found.mtimeMs.toString(36)}"` };
  };

  /** The inline scripts of a build are the same in all pages: those of its first page are allowed. */
  const policyOf = async (): Promise<string> => {
    const index = await find('index.html');
    if (index && index.etag !== policy.etag) {
      policy = { etag: index.etag, text: policyFor(await readFile(index.path, 'utf8')) };
    }
    return policy.text;
  };

  return async (ctx, next) => {
    const { path } = ctx;
    if (path !== PREFIX && !path.startsWith(`${PREFIX}/`)) {
      await next();
      return;
    }
    ctx.state.route = `${PREFIX}/*`;
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx, ['GET', 'HEAD']);
    if (path === PREFIX) {
      ctx.status = 308;
      ctx.set('Location', `${PREFIX}/`);
      return;
    }
    const file = await firstOf(candidates(path.slice(PREFIX.length + 1)), find);
    const page = file ?? (await find('404.html'));
    if (page) await send(ctx, file ? 200 : 404, page, await policyOf());
    else sendText(ctx, 404, 'text/plain; charset=utf-8', NOT_BUILT);
  };
}

/** The files that an address may mean: a page goes without its ending, and links of the repository end in `.md`. */
function candidates(path: string): readonly string[] {
  if (!FILE_PATH.test(path)) return [];
  if (path === '' || path.endsWith('/')) return [`${path}index.html`];
  if (path.endsWith('.md')) return candidates(path.replace(/(?:(^|\/)README)?\.md$/, '$1'));
  return [path, `${path}.html`, `${path}/index.html`];
}

async function firstOf<T>(
  names: readonly string[],
  find: (name: string) => Promise<T | null>,
): Promise<T | null> {
  for (const name of names) {
    const found = await find(name);
    if (found !== null) return found;
  }
  return null;
}

function policyFor(html: string): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const hashes = scripts.map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    ["script-src 'self'", ...new Set(hashes)].join(' '),
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

async function send(
  ctx: HttpContext,
  status: number,
  { name, path, etag }: SiteFile,
  policy: string,
): Promise<void> {
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  ctx.set({
    'Cache-Control': HASHED.test(name) ? `public, max-age=${YEAR}, immutable` : 'no-cache',
    ETag: etag,
    Vary: 'Accept-Encoding',
  });
  if (type.startsWith('text/html')) ctx.set('Content-Security-Policy', policy);
  ctx.status = status;
  if (status === 200 && ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const bytes = await readFile(path);
  ctx.set('Content-Type', type);
  const isText = /^text|json|svg/.test(type);
  if (isText && bytes.length >= MIN_GZIP_BYTES && ctx.acceptsEncodings('gzip', 'identity') === 'gzip') {
    ctx.set('Content-Encoding', 'gzip');
    ctx.body = await promisify(gzip)(bytes);
  } else ctx.body = bytes;
}
