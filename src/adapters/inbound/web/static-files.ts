import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FixedRoute } from '../http/context.ts';
import { methodNotAllowed } from '../http/replies.ts';
import { type Encoding, encodingFor, pack } from './compression.ts';
import { installable } from './installable.ts';

const YEAR = 31_536_000;
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const SVG = 'image/svg+xml';
/** Files of packages: all others are in the directory. */
const HTMX = fileURLToPath(import.meta.resolve('htmx.org/dist/htmx.min.js'));
const UPLOT = fileURLToPath(import.meta.resolve('uplot/dist/uPlot.iife.min.js'));
const INTER = fileURLToPath(
  import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
);

/** What the one style sheet is put together from, in this order. */
const STYLES = [
  'tokens',
  'base',
  'components',
  'forms',
  'tables',
  'charts',
  'logs',
  'jobs',
  'pages',
  'subjects',
  'shell',
  'phones',
  'print',
] as const;
/** What the one script is put together from, besides htmx; no part sees the names of another, except `droverTimes`. */
const SCRIPTS = ['times', 'forms', 'tables', 'strips', 'live', 'shell'] as const;

/** As above, for a log, and for the editor. */
const JOB_SCRIPTS = ['live-job', 'panels'] as const;
const EDITOR_SCRIPTS = ['editor', 'highlight'] as const;

/** What pages load besides themselves: all of it from here. The font comes before the style that names it. */
const FILES = {
  inter: { name: 'inter.woff2', type: 'font/woff2' },
  style: { name: 'app.css', type: CSS },
  script: { name: 'app.js', type: SCRIPT },
  templateFiles: { name: 'template-files.js', type: SCRIPT },
  upload: { name: 'upload.js', type: SCRIPT },
  metrics: { name: 'metrics.js', type: SCRIPT },
  editor: { name: 'editor.js', type: SCRIPT },
  push: { name: 'push.js', type: SCRIPT },
  passkeys: { name: 'passkeys.js', type: SCRIPT },
  job: { name: 'job.js', type: SCRIPT },
  jobStyle: { name: 'job.css', type: CSS },
  metricsStyle: { name: 'metrics.css', type: CSS },
  partsStyle: { name: 'parts.css', type: CSS },
  editorStyle: { name: 'editor.css', type: CSS },
  icons: { name: 'icons.svg', type: SVG },
  icon: { name: 'icon.svg', type: SVG },
  icon192: { name: 'icon-192.png', type: 'image/png' },
  icon512: { name: 'icon-512.png', type: 'image/png' },
  iconMaskable: { name: 'icon-maskable-512.png', type: 'image/png' },
} as const;

export type StaticFile = keyof typeof FILES;

export interface StaticFiles {
  /** A file's address, with its content's hash in it, so that browsers may cache it forever. */
  readonly pathOf: (file: StaticFile) => string;
  readonly mounts: readonly FixedRoute[];
}

/** Style sheets of some pages, such as that of a script. */
const isStyle = (key: StaticFile): boolean => key.endsWith('Style');

/** Reads the files of a directory once. */
export function loadStaticFiles(directory: string): StaticFiles {
  const paths = new Map<StaticFile, string>();
  const pathOf = (file: StaticFile): string => paths.get(file) ?? '';
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
  const contentOf = (key: StaticFile): Buffer => {
    if (key === 'inter') return readFileSync(INTER);
    if (key === 'style') return Buffer.from(styleSheet(pathOf('inter'), read));
    if (key === 'metrics') return Buffer.from(`${readFileSync(UPLOT, 'utf8')}\n${read('metrics.js')}`);
    if (key === 'script') return Buffer.from(`${readFileSync(HTMX, 'utf8')}\n${scriptOf(SCRIPTS, read)}`);
    if (isStyle(key)) return Buffer.from(smallStyle(read(FILES[key].name)));
    if (key === 'editor') return Buffer.from(scriptOf(EDITOR_SCRIPTS, read));
    if (key === 'job') return Buffer.from(scriptOf(JOB_SCRIPTS, read));
    return readFileSync(join(directory, FILES[key].name));
  };
  const mounts = (Object.keys(FILES) as StaticFile[]).map((key): FixedRoute => {
    const { name, type } = FILES[key];
    const bytes = contentOf(key);
    const path = `/static/${hashOf(bytes)}/${name}`;
    paths.set(key, path);
    return fileRoute(path, bytes, {
      'Cache-Control': `public, max-age=${YEAR}, immutable`,
      'Content-Type': type,
    });
  });
  const worker = readFileSync(join(directory, 'service-worker.js'), 'utf8');
  const own = installable({ pathOf, worker, files: [...paths.values()] });
  return {
    pathOf,
    mounts: [...mounts, ...own.map(({ path, text, headers }) => fileRoute(path, Buffer.from(text), headers))],
  };
}

const styleSheet = (font: string, read: (name: string) => string): string =>
  [
    `@font-face{font-family:"Inter";src:url("${font}") format("woff2");font-weight:100 900;font-display:swap}`,
    ...STYLES.map((name) => smallStyle(read(`css/${name}.css`))),
  ].join('\n');

const scriptOf = (names: readonly string[], read: (name: string) => string): string =>
  names.map((name) => `(() => {\n${smallScript(read(`js/${name}.js`))}})();`).join('\n');

/** Without comments and what formatting adds. */
const smallStyle = (text: string): string =>
  text
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/^ +/gm, '')
    .replaceAll(/^([\w-]+): /gm, '$1:')
    .replaceAll(' {\n', '{\n')
    .replaceAll(/([{};,])\n+/g, '$1')
    .replaceAll(', ', ',')
    .replaceAll(' > ', '>')
    .replaceAll(/(?<=[ ,(:-])0\.(?=\d)/g, '.')
    .replaceAll(';}', '}');

/**
 * Without comments that have lines of their own, indentation, and the ends of lines after which a line may go on: no text
 * in a script spans lines.
 */
const smallScript = (text: string): string =>
  text
    .replaceAll(/^ *(?:\/\/.*|\/\*\*[^]*?\*\/)\n/gm, '')
    .replaceAll(/^ +|^\n/gm, '')
    .split('\n')
    .map((line) => (/[{;,]$/.test(line) && !line.includes('//') ? line : `${line}\n`))
    .join('');

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 12);

function fileRoute(path: string, bytes: Buffer, headers: Readonly<Record<string, string>>): FixedRoute {
  const packed = new Map<Encoding, Buffer>();
  const inEncoding = (encoding: Encoding): Buffer => {
    const kept = packed.get(encoding) ?? pack(bytes, encoding);
    packed.set(encoding, kept);
    return kept;
  };
  const isText = /^(?:text|application|image\/svg)/.test(headers['Content-Type'] ?? '');
  return {
    path,
    handle(ctx) {
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx, ['GET', 'HEAD']);
      ctx.set(headers);
      ctx.status = 200;
      const encoding = isText ? encodingFor(ctx.get('Accept-Encoding')) : null;
      if (isText) ctx.set('Vary', 'Accept-Encoding');
      if (encoding !== null) ctx.set('Content-Encoding', encoding);
      ctx.body = encoding === null ? bytes : inEncoding(encoding);
    },
  };
}
