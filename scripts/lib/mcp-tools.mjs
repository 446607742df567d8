import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../ensure.mjs';
import { cacheDir, cached } from './cache.mjs';
import { must } from './programs.mjs';

const KIND = 'mcp-tools';
const SOURCE = join(ROOT, 'test', 'mcp-tools');
const FILES = ['package.json', 'package-lock.json', '.npmrc'];

/**
 * Third-party checks of MCP servers, installed according to test/mcp-tools: once (30 s, 150 MB), and separate from
 * the packages of the project. Needs the package registry then.
 *
 * @returns {Promise<string>} the directory with `node_modules` in it
 */
export function ensureMcpTools() {
  return cached(KIND, key(), async (dir) => {
    for (const file of FILES) copyFileSync(join(SOURCE, file), join(dir, file));
    // Some of them require a newer Node than this one; they run with one. Set here, because an `npm test` passes the
    // project's own strictness down in the environment, which overrides the directory's .npmrc.
    const lenient = '--engine-strict=false';
    await must('npm', ['ci', lenient, '--ignore-scripts', '--no-progress', '--loglevel=error'], { cwd: dir });
  });
}

/** @returns {string | undefined} the directory where `npm run test:all` has installed them already */
export function installedMcpTools() {
  const dir = join(cacheDir(), `${KIND}-${key()}`);
  return existsSync(dir) ? dir : undefined;
}

function key() {
  const hash = createHash('sha256');
  for (const file of FILES) hash.update(readFileSync(join(SOURCE, file)));
  return hash.digest('hex').slice(0, 16);
}
