import { createHash } from 'node:crypto';

/** The ground of the pages, as browsers colour their own parts. */
export const GROUNDS = { light: '#ffffff', dark: '#1b2028' } as const;

export const MANIFEST_PATH = '/manifest.webmanifest';
/** At the root, since a worker controls only paths below its own. */
const WORKER_PATH = '/service-worker.js';
export const OFFLINE_PATH = '/offline';

interface GeneratedFile {
  readonly path: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

type PathOf = (file: 'icon' | 'icon192' | 'icon512' | 'iconMaskable') => string;

/** What a browser needs to install the web UI as an app: both are revalidated, so that a new version is noticed. */
export function installable(from: {
  readonly pathOf: PathOf;
  readonly worker: string;
  readonly files: readonly string[];
}): readonly GeneratedFile[] {
  const { pathOf, worker, files } = from;
  const version = createHash('sha256')
    .update(files.join() + worker)
    .digest('hex')
    .slice(0, 12);
  const kept = { version, files, offline: OFFLINE_PATH, icon: pathOf('icon192') };
  return [
    {
      path: MANIFEST_PATH,
      text: JSON.stringify(manifest(pathOf)),
      headers: { 'Content-Type': 'application/manifest+json', 'Cache-Control': 'no-cache' },
    },
    {
      path: WORKER_PATH,
      text: `const KEPT = ${JSON.stringify(kept)};\n${worker}`,
      headers: {
        'Content-Type': 'text/javascript; charset=utf-8',
        'Cache-Control': 'no-cache',
        // What the worker itself may request.
        'Content-Security-Policy': "default-src 'none'; connect-src 'self'",
      },
    },
  ];
}

const manifest = (pathOf: PathOf) => ({
  id: '/',
  name: 'Drover',
  short_name: 'Drover',
  description: 'Servers, their jobs, backups and updates',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  background_color: GROUNDS.light,
  theme_color: GROUNDS.light,
  icons: [
    { src: pathOf('icon'), sizes: 'any', type: 'image/svg+xml' },
    { src: pathOf('icon192'), sizes: '192x192', type: 'image/png' },
    { src: pathOf('icon512'), sizes: '512x512', type: 'image/png' },
    { src: pathOf('iconMaskable'), sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
});
