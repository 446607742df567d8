import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { ENTRIES, LEFT_OUT } from '../../scripts/lib/bundle.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** What `drover server list` loads; the service has four times as many. Each costs a start a third of a millisecond. */
const MAX_MODULES = 300;
/** What it loads on demand. */
const LOADED = ['src/adapters/bootstrap/core.ts', 'src/adapters/inbound/cli/commands/server.ts'];

/** The import graph of a bundle, as the build makes it. */
async function graphOf(absWorkingDir: string, options: BuildOptions): Promise<Metafile['inputs']> {
  const { metafile } = await build({
    ...options,
    absWorkingDir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: 'dist',
    write: false,
    metafile: true,
  });
  return metafile.inputs;
}

/** Our modules that `entry` loads, with those that `onDemand` names. */
function loadedBy(
  entry: string,
  onDemand: readonly string[],
  graph: Metafile['inputs'],
): ReadonlySet<string> {
  const loaded = new Set<string>();
  const visit = (path: string): void => {
    if (loaded.has(path) || !path.startsWith('src/')) return;
    loaded.add(path);
    for (const { path: next, kind } of graph[path]?.imports ?? [])
      if (kind !== 'dynamic-import' || onDemand.includes(next)) visit(next);
  };
  visit(entry);
  return loaded;
}

/** A CommonJS package that is split off has only a default export in the bundle; from the sources it has all names. */
async function namedFromCommonJs(root: string, graph: Metafile['inputs']): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [file, { imports }] of Object.entries(graph)) {
    const packages = imports.flatMap(({ kind, path, original }) =>
      kind === 'dynamic-import' && graph[path]?.format === 'cjs' ? [original ?? path] : [],
    );
    if (packages.length === 0 || !file.startsWith('src/')) continue;
    const text = await readFile(join(root, file), 'utf8');
    for (const name of packages) {
      const call = String.raw`await import\('${name}'\)`;
      const all = text.match(new RegExp(String.raw`import\('${name}'\)`, 'g')) ?? [];
      const byDefault = new RegExp(String.raw`\{ default: \w+ \} = ${call}|\(${call}\)\.default\b`, 'g');
      if ((text.match(byDefault) ?? []).length < all.length) found.push(`${file}: ${name}`);
    }
  }
  return found;
}

describe('The bundle', () => {
  let graph: Metafile['inputs'];
  beforeAll(async () => {
    graph = await graphOf(ROOT, { entryPoints: [...ENTRIES], external: [...LEFT_OUT] });
  });

  it('gives a list little to load', () => {
    const loaded = loadedBy('src/adapters/bootstrap/main.ts', LOADED, graph);
    expect(LOADED.filter((path) => !loaded.has(path))).toEqual([]);
    expect(loaded.size, [...loaded].toSorted().join('\n')).toBeLessThanOrEqual(MAX_MODULES);
  });

  it('has nothing that imports names of a CommonJS package on demand', async () => {
    expect(await namedFromCommonJs(ROOT, graph)).toEqual([]);
  });
});

const PLANTED: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module"}',
  'node_modules/old/package.json': '{"name":"old","main":"index.js"}',
  'node_modules/old/index.js': 'exports.a = 1;',
  'node_modules/new/package.json': '{"name":"new","type":"module","main":"index.js"}',
  'node_modules/new/index.js': 'export const a = 1;',
  'src/main.ts': `import './named.ts';\nimport './default.ts';\nimport './new.ts';`,
  'src/named.ts': `export const { a } = await import('old');`,
  'src/default.ts': `export const { default: old } = await import('old');\nexport const a = (await import('old')).default;`,
  'src/new.ts': `export const { a } = await import('new');`,
};

describe('A planted breach', () => {
  it('of names from CommonJS is found, and nothing else is', async () => {
    const base = await mkdtemp(join(tmpdir(), 'drover-bundle-'));
    try {
      for (const [file, text] of Object.entries(PLANTED)) {
        await mkdir(dirname(join(base, file)), { recursive: true });
        await writeFile(join(base, file), text);
      }
      const graph = await graphOf(base, { entryPoints: ['src/main.ts'] });
      expect(await namedFromCommonJs(base, graph)).toEqual(['src/named.ts: old']);
      expect(loadedBy('src/main.ts', [], graph).size).toBe(4);
    } finally {
      await rm(base, { recursive: true, force: true });
    }
  });
});
