import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from '@swc/core';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { describe, expect, test } from 'vitest';
import configuration from '../../.dependency-cruiser.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** A layer with fewer modules was not read, or emptied. */
const FEWEST_MODULES = { domain: 15, application: 40, adapters: 40 };

async function examine(root: string): Promise<ICruiseResult> {
  const { forbidden = [], options = {} } = configuration;
  const baseDir = await withoutMarkup(root);
  const { output } = await cruise(['src'], { ...options, baseDir, ruleSet: { forbidden }, validate: true });
  await rm(baseDir, { recursive: true, force: true });
  if (typeof output === 'string')
    throw new TypeError('dependency-cruiser gave text instead of its findings.');
  return output;
}

/** A copy in which each page is its imports alone: dependency-cruiser's parser does not read the markup between them. */
async function withoutMarkup(root: string): Promise<string> {
  const base = await mkdtemp(join(tmpdir(), 'drover-layers-'));
  await symlink(join(ROOT, 'node_modules'), join(base, 'node_modules'));
  await cp(join(root, 'package.json'), join(base, 'package.json'));
  for (const dir of ['src', 'test/f.ts']) {
    if (existsSync(join(root, dir))) await cp(join(root, dir), join(base, dir), { recursive: true });
  }
  const files = await readdir(join(base, 'src'), { recursive: true });
  for (const file of files.filter((path) => path.endsWith('.tsx'))) {
    const text = await readFile(join(base, 'src', file), 'utf8');
    await writeFile(join(base, 'src', file), importsOf(text));
  }
  return base;
}

/** Its import and export-from declarations, as they stand. */
function importsOf(text: string): string {
  const { body, span } = parseSync(text, { syntax: 'typescript', tsx: true, target: 'es2022' });
  const bytes = Buffer.from(text);
  return body
    .filter(
      (item) =>
        item.type === 'ImportDeclaration' ||
        item.type === 'ExportAllDeclaration' ||
        (item.type === 'ExportNamedDeclaration' && item.source !== null),
    )
    .map((item) => bytes.subarray(item.span.start - span.start, item.span.end - span.start).toString())
    .join('\n');
}

const breachesOf = (result: ICruiseResult): readonly string[] =>
  result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);

/** The paths of a layer's modules, from the root. */
async function filesOf(layer: string): Promise<readonly string[]> {
  const entries = await readdir(join(ROOT, 'src', layer), { recursive: true });
  return entries.filter((path) => /\.tsx?$/.test(path)).map((path) => join('src', layer, path));
}

async function sourcesOf(layer: string): Promise<readonly { path: string; text: string }[]> {
  const paths = await filesOf(layer);
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(ROOT, path), 'utf8') })));
}

describe('The layers', () => {
  test('are kept', async () => {
    const result = await examine(ROOT);
    expect(breachesOf(result)).toEqual([]);
  });

  test.each(Object.entries(FEWEST_MODULES))('%s is read whole', async (layer, fewest) => {
    const files = await filesOf(layer);
    const { modules } = await examine(ROOT);
    const seen = new Set(
      modules.filter(({ dependencies }) => dependencies !== undefined).map(({ source }) => source),
    );
    expect(files.length).toBeGreaterThanOrEqual(fewest);
    expect(files.filter((path) => !seen.has(path))).toEqual([]);
  });

  test('every adapter folder has modules', async () => {
    const folders = await readdir(join(ROOT, 'src/adapters'));
    const files = await filesOf('adapters');
    expect(
      folders.filter((folder) => !files.some((path) => path.startsWith(`src/adapters/${folder}/`))),
    ).toEqual([]);
  });

  test('imports are seen at all: the program is one connected whole', async () => {
    const { modules } = await examine(ROOT);
    const imports = modules.flatMap(({ dependencies }) => dependencies);
    expect(imports.length).toBeGreaterThan(modules.length);
  });
});

/** One breach of each rule: the file, what it holds, and the rule that must name it. */
const PLANTED: readonly (readonly [rule: string, file: string, text: string])[] = [
  [
    'domain-is-pure',
    'domain/a.ts',
    `import { readFileSync } from 'node:fs';\nexport const a = readFileSync;`,
  ],
  [
    'domain-is-pure',
    'domain/b.ts',
    `import type { Port } from '../application/ports/port.ts';\nexport type B = Port;`,
  ],
  ['domain-is-pure', 'domain/c.ts', `import { z } from 'zod';\nexport const c = z;`],
  [
    'application-knows-only-ports',
    'application/a.ts',
    `import { s } from '../adapters/sql/s.ts';\nexport const a = s;`,
  ],
  ['application-knows-only-ports', 'application/b.ts', `export { readFile } from 'node:fs/promises';`],
  ['application-knows-only-ports', 'application/c.ts', `export const c = () => import('knex');`],
  [
    'ports-know-no-use-case',
    'application/ports/p.ts',
    `import type { U } from '../use.ts';\nexport type P = U;`,
  ],
  ['adapters-keep-apart', 'adapters/sql/x.ts', `import { s } from '../ssh/s.ts';\nexport const x = s;`],
  ['adapters-keep-apart', 'adapters/ssh/y.ts', `import { m } from '../bootstrap/m.ts';\nexport const y = m;`],
  [
    'adapters-keep-apart',
    'adapters/ssh/page.tsx',
    `import { s } from '../sql/s.ts';\nexport const Page = () => <p>{s}</p>;`,
  ],
  ['adapters-keep-apart-cli', 'adapters/cli/x.ts', `import { s } from '../sql/s.ts';\nexport const x = s;`],
  [
    'container-only-in-bootstrap',
    'adapters/sql/c.ts',
    `import { Container } from 'inversify';\nexport const c = Container;`,
  ],
  ['stdio-adapter-is-light', 'adapters/stdio/h.ts', `import { s } from './heavy.ts';\nexport const h = s;`],
  ['stdio-adapter-is-light', 'adapters/stdio/heavy.ts', `import knex from 'knex';\nexport const s = knex;`],
  ['no-cycle', 'domain/ring-a.ts', `import { b } from './ring-b.ts';\nexport const a = () => b;`],
  ['only-shipped-packages', 'adapters/sql/d.ts', `import { test } from 'vitest';\nexport const d = test;`],
  ['only-what-is-there', 'adapters/sql/e.ts', `import { e } from './nowhere.ts';\nexport const x = e;`],
  [
    'nothing-outside-src',
    'adapters/sql/f.ts',
    `import { f } from '../../../test/f.ts';\nexport const x = f;`,
  ],
];

const BESIDE: readonly (readonly [file: string, text: string])[] = [
  ['src/domain/ring-b.ts', `import { a } from './ring-a.ts';\nexport const b = () => a;`],
  ['src/application/ports/port.ts', 'export type Port = string;'],
  ['src/application/use.ts', 'export type U = string;'],
  ['src/adapters/sql/s.ts', 'export const s = 1;'],
  ['src/adapters/ssh/s.ts', 'export const s = 1;'],
  ['src/adapters/bootstrap/m.ts', `import { Container } from 'inversify';\nexport const m = Container;`],
  ['src/adapters/cli/ok.ts', `import { c } from '../catalogue/c.ts';\nexport const ok = c;`],
  ['src/adapters/catalogue/c.ts', 'export const c = 1;'],
  ['test/f.ts', 'export const f = 1;'],
];

describe('A planted breach', () => {
  test('of each rule is found, and nothing else is', async () => {
    const base = await mkdtemp(join(tmpdir(), 'drover-layers-'));
    try {
      await symlink(join(ROOT, 'node_modules'), join(base, 'node_modules'));
      await writeFile(join(base, 'package.json'), await readFile(join(ROOT, 'package.json')));
      const files = [...BESIDE, ...PLANTED.map(([, file, text]) => [`src/${file}`, text] as const)];
      for (const [file, text] of files) {
        await mkdir(dirname(join(base, file)), { recursive: true });
        await writeFile(join(base, file), `${text}\n`);
      }
      const found = (await examine(base)).summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);
      for (const [rule, file] of PLANTED) expect(found).toContain(`${rule}: src/${file}`);
      const planted = new Set([...PLANTED.map(([, file]) => `src/${file}`), 'src/domain/ring-b.ts']);
      expect(found.filter((breach) => !planted.has(breach.split(': ')[1] ?? ''))).toEqual([]);
    } finally {
      await rm(base, { recursive: true, force: true });
    }
  });

  test('is planted for every rule', () => {
    const named = new Set(PLANTED.map(([rule]) => rule));
    const rules = (configuration.forbidden ?? []).map(({ name }) => name ?? '');
    const kinds = rules.map((name) =>
      name.startsWith('adapters-keep-apart-') ? 'adapters-keep-apart-cli' : name,
    );
    expect(kinds.filter((name) => !named.has(name))).toEqual([]);
  });
});

describe('What imports do not show', () => {
  const valueImportOfNode = /^(import (?!type\b)|export (?!type\b))[^;]*?from 'node:/m;
  const environment = /process\s*\.\s*env\b|from 'node:process'|\bprocess\s*\[/;

  test('the application takes only types from Node', async () => {
    const breaches = (await sourcesOf('application')).filter(({ text }) => valueImportOfNode.test(text));
    expect(breaches.map(({ path }) => path)).toEqual([]);
    expect(valueImportOfNode.test(`import { Readable } from 'node:stream';`)).toBe(true);
    expect(valueImportOfNode.test(`import type { Readable } from 'node:stream';`)).toBe(false);
  });

  test('only bootstrap reads the environment', async () => {
    const sources = (await Promise.all(['domain', 'application', 'adapters'].map(sourcesOf))).flat();
    const readers = sources.filter(({ text }) => environment.test(text)).map(({ path }) => path);
    expect(readers.filter((path) => !path.startsWith('src/adapters/bootstrap/'))).toEqual([]);
  });

  test.each([
    [
      'domain',
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bset(Timeout|Interval|Immediate)\(|\bcrypto\./,
    ],
    ['application', /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bcrypto\./],
  ])('%s asks neither time nor chance but through ports', async (layer, asks) => {
    const sources = await sourcesOf(layer);
    expect(sources.filter(({ text }) => asks.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
