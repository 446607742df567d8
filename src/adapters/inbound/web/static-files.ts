import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FixedRoute } from '../http/context.ts';
import { methodNotAllowed } from '../http/replies.ts';
import { installable } from './installable.ts';

const YEAR = 31_536_000;
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
/** A package's file: all others are in the directory. */
const HTMX = fileURLToPath(import.meta.resolve('htmx.org/dist/htmx.min.js'));

/** What pages load besides themselves: all of it from here. */
const FILES = {
  style: { name: 'style.css', type: CSS },
  settings: { name: 'settings.css', type: CSS },
  fleet: { name: 'fleet.css', type: CSS },
  tables: { name: 'tables.css', type: CSS },
  narrow: { name: 'narrow.css', type: CSS },
  script: { name: 'app.js', type: SCRIPT },
  live: { name: 'live.js', type: SCRIPT },
  install: { name: 'install.js', type: SCRIPT },
  jobs: { name: 'jobs.css', type: CSS },
  templateFiles: { name: 'template-files.js', type: SCRIPT },
  liveJob: { name: 'live-job.js', type: SCRIPT },
  htmx: { name: 'htmx.js', type: SCRIPT },
  icon: { name: 'icon.svg', type: 'image/svg+xml' },
  icon192: { name: 'icon-192.png', type: 'image/png' },
  icon512: { name: 'icon-512.png', type: 'image/png' },
  iconMaskable: { name: 'icon-maskable-512.png', type: 'image/png' },
} as const;

export type StaticFile = keyof typeof FILES;

export interface StaticFiles {
  /** The address of a file, with its content's hash in it, so that browsers may keep it for ever. */
  readonly pathOf: (file: StaticFile) => string;
  readonly mounts: readonly FixedRoute[];
}

/** Reads the files of a directory once. */
export function loadStaticFiles(directory: string): StaticFiles {
  const paths = new Map<StaticFile, string>();
  const mounts = (Object.keys(FILES) as StaticFile[]).map((key): FixedRoute => {
    const { name, type } = FILES[key];
    const bytes = readFileSync(key === 'htmx' ? HTMX : join(directory, name));
    const path = `/static/${hashOf(bytes)}/${name}`;
    paths.set(key, path);
    return fileRoute(path, bytes, {
      'Cache-Control': `public, max-age=${YEAR}, immutable`,
      'Content-Type': type,
    });
  });
  const pathOf = (file: StaticFile): string => paths.get(file) ?? '';
  const worker = readFileSync(join(directory, 'service-worker.js'), 'utf8');
  const own = installable({ pathOf, worker, files: [...paths.values()] });
  return {
    pathOf,
    mounts: [...mounts, ...own.map(({ path, text, headers }) => fileRoute(path, Buffer.from(text), headers))],
  };
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 12);

const fileRoute = (path: string, bytes: Buffer, headers: Readonly<Record<string, string>>): FixedRoute => ({
  path,
  handle(ctx) {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx, ['GET', 'HEAD']);
    ctx.set(headers);
    ctx.status = 200;
    ctx.body = bytes;
  },
});
