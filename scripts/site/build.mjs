import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { lock, ROOT } from '../ensure.mjs';
import { contentOf, sidebarOf } from './pages.mjs';

/** Where the service looks for the site. */
export const SITE = join(ROOT, 'dist', 'docs');
const STAMP = '.built-from';

/**
 * Builds the documentation as static files, unless what is there is made of the same pages.
 *
 * @param {{ base?: string, out?: string }} [options] `base`: the path under which a host serves them
 * @returns {Promise<boolean>} whether it was built
 */
export async function buildSite({ base = '/docs/', out = SITE } = {}) {
  const content = contentOf(ROOT);
  const stamp = stampOf(content, base);
  const isUpToDate = () => readIfThere(join(out, STAMP)) === stamp;
  if (isUpToDate()) return false;
  const release = await lock('docs');
  const work = join(ROOT, 'dist.docs');
  try {
    if (isUpToDate()) return false;
    // A build that was killed may have left something.
    rmSync(work, { recursive: true, force: true });
    const source = join(work, 'pages');
    const fresh = join(work, 'site');
    writePages(source, content);
    writeConfig(source, {
      base,
      outDir: fresh,
      version: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version,
      // Only the service is known to find a page without the end of its name.
      hasCleanUrls: out === SITE,
      sidebar: sidebarOf(content.pages),
    });
    const { build } = await import('vitepress');
    await build(source);
    writeFileSync(join(fresh, STAMP), stamp);
    rmSync(out, { recursive: true, force: true });
    mkdirSync(dirname(out), { recursive: true });
    renameSync(fresh, out);
  } finally {
    rmSync(work, { recursive: true, force: true });
    release();
  }
  return true;
}

/**
 * @param {string} directory
 * @param {import('./pages.mjs').Content} content
 */
function writePages(directory, { pages, files }) {
  for (const { to, text } of pages) write(join(directory, to), text);
  for (const { from, to } of files) {
    const path = join(directory, 'public', to);
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(join(ROOT, from), path);
  }
}

/**
 * @param {string} directory
 * @param {object} site
 */
function writeConfig(directory, site) {
  const own = join(ROOT, 'scripts', 'site');
  const config = [
    `import { settings } from ${JSON.stringify(join(own, 'settings.mjs'))};`,
    `export default settings(${JSON.stringify(site)});`,
  ];
  write(join(directory, '.vitepress', 'config.mjs'), config.join('\n'));
  const theme = [
    "import theme from 'vitepress/theme';",
    `import ${JSON.stringify(join(own, 'style.css'))};`,
    'export default theme;',
  ];
  write(join(directory, '.vitepress', 'theme', 'index.js'), theme.join('\n'));
}

/**
 * @param {string} path
 * @param {string} text
 */
function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/**
 * All that the site is made of, as one digest.
 *
 * @param {import('./pages.mjs').Content} content
 * @param {string} base
 */
function stampOf({ pages, files }, base) {
  const hash = createHash('sha256').update(JSON.stringify([base, pages]));
  const own = readdirSync(join(ROOT, 'scripts', 'site')).map((name) => `scripts/site/${name}`);
  for (const path of ['package.json', ...own, ...files.map(({ from }) => from)]) {
    hash.update(path).update(readFileSync(join(ROOT, path)));
  }
  return hash.digest('hex');
}

/** @param {string} path */
const readIfThere = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
