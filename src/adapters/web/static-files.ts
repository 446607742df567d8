import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Mount } from '../http/context.ts';
import { methodNotAllowed } from '../http/replies.ts';

const YEAR = 31_536_000;

/** What pages load besides themselves: all of it from here. */
const FILES = {
  style: { name: 'style.css', type: 'text/css; charset=utf-8', from: ownFile('style.css') },
  script: { name: 'app.js', type: 'text/javascript; charset=utf-8', from: ownFile('app.js') },
  htmx: {
    name: 'htmx.js',
    type: 'text/javascript; charset=utf-8',
    from: fileURLToPath(import.meta.resolve('htmx.org/dist/htmx.min.js')),
  },
  icon: { name: 'icon.svg', type: 'image/svg+xml', from: ownFile('icon.svg') },
} as const;

export type StaticFile = keyof typeof FILES;

/** The sources' folder also when built: these files are shipped as they are. */
function ownFile(name: string): string {
  return fileURLToPath(new URL(`../../../src/adapters/web/static/${name}`, import.meta.url));
}

export interface StaticFiles {
  /** The address of a file, with its content's hash in it, so that browsers may keep it for ever. */
  readonly pathOf: (file: StaticFile) => string;
  readonly mounts: readonly Mount[];
}

/** Reads the files once. */
export function loadStaticFiles(): StaticFiles {
  const paths = new Map<StaticFile, string>();
  const mounts = (Object.keys(FILES) as StaticFile[]).map((key): Mount => {
    const { name, type, from } = FILES[key];
    const bytes = readFileSync(from);
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    const path = `/static/${hash}/${name}`;
    paths.set(key, path);
    return {
      path,
      handle(ctx) {
        if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx, ['GET', 'HEAD']);
        ctx.set({ 'Cache-Control': `public, max-age=${YEAR}, immutable`, 'Content-Type': type });
        ctx.status = 200;
        ctx.body = bytes;
      },
    };
  });
  return { mounts, pathOf: (file) => paths.get(file) ?? '' };
}
