import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Mount } from '../http/context.ts';
import { methodNotAllowed } from '../http/replies.ts';
import { installable } from './installable.ts';

const YEAR = 31_536_000;

/** What pages load besides themselves: all of it from here. */
const FILES = {
  style: { name: 'style.css', type: 'text/css; charset=utf-8', from: ownFile('style.css') },
  settings: { name: 'settings.css', type: 'text/css; charset=utf-8', from: ownFile('settings.css') },
  fleet: { name: 'fleet.css', type: 'text/css; charset=utf-8', from: ownFile('fleet.css') },
  narrow: { name: 'narrow.css', type: 'text/css; charset=utf-8', from: ownFile('narrow.css') },
  script: { name: 'app.js', type: 'text/javascript; charset=utf-8', from: ownFile('app.js') },
  live: { name: 'live.js', type: 'text/javascript; charset=utf-8', from: ownFile('live.js') },
  install: { name: 'install.js', type: 'text/javascript; charset=utf-8', from: ownFile('install.js') },
  jobs: { name: 'jobs.css', type: 'text/css; charset=utf-8', from: ownFile('jobs.css') },
  templateFiles: {
    name: 'template-files.js',
    type: 'text/javascript; charset=utf-8',
    from: ownFile('template-files.js'),
  },
  liveJob: { name: 'live-job.js', type: 'text/javascript; charset=utf-8', from: ownFile('live-job.js') },
  htmx: {
    name: 'htmx.js',
    type: 'text/javascript; charset=utf-8',
    from: fileURLToPath(import.meta.resolve('htmx.org/dist/htmx.min.js')),
  },
  icon: { name: 'icon.svg', type: 'image/svg+xml', from: ownFile('icon.svg') },
  icon192: { name: 'icon-192.png', type: 'image/png', from: ownFile('icon-192.png') },
  icon512: { name: 'icon-512.png', type: 'image/png', from: ownFile('icon-512.png') },
  iconMaskable: { name: 'icon-maskable-512.png', type: 'image/png', from: ownFile('icon-maskable-512.png') },
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
    const path = `/static/${hashOf(bytes)}/${name}`;
    paths.set(key, path);
    return fileMount(path, bytes, {
      'Cache-Control': `public, max-age=${YEAR}, immutable`,
      'Content-Type': type,
    });
  });
  const pathOf = (file: StaticFile): string => paths.get(file) ?? '';
  const worker = readFileSync(ownFile('service-worker.js'), 'utf8');
  const own = installable({ pathOf, worker, files: [...paths.values()] });
  return {
    pathOf,
    mounts: [...mounts, ...own.map(({ path, text, headers }) => fileMount(path, Buffer.from(text), headers))],
  };
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 12);

const fileMount = (path: string, bytes: Buffer, headers: Readonly<Record<string, string>>): Mount => ({
  path,
  handle(ctx) {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx, ['GET', 'HEAD']);
    ctx.set(headers);
    ctx.status = 200;
    ctx.body = bytes;
  },
});
