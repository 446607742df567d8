import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { atEnd } from './at-end.ts';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** By path. */
const made = new Map<string, Promise<string>>();

/**
 * A program in TypeScript as one file for Node, there until the calling test file ends. For those that start often:
 * with `--import tsx`, each start takes a second of processor time more.
 */
export function bundled(program: URL): Promise<string> {
  const path = fileURLToPath(program);
  const known = made.get(path);
  if (known) return known;
  const bundle = bundleOf(path);
  made.set(path, bundle);
  return bundle;
}

async function bundleOf(path: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'drover-bundled-'));
  atEnd(async () => {
    made.delete(path);
    await rm(directory, { recursive: true });
  });
  // Other users run it, too.
  await chmod(directory, 0o755);
  await symlink(MODULES, join(directory, 'node_modules'));
  const outfile = join(directory, basename(path).replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [path],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}
