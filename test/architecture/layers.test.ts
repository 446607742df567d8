import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { beforeAll, describe, expect, test } from 'vitest';
import configuration, { PORTS_STILL_IMPORTED } from '../../.dependency-cruiser.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** A layer with fewer modules was not read, or emptied. */
const MIN_MODULES = { domain: 15, application: 40, 'adapters/inbound': 40, 'adapters/outbound': 40 };

/** dependency-cruiser's findings in the program. */
async function examine(): Promise<ICruiseResult> {
  const { forbidden = [], options = {} } = configuration;
  const wanted = { ...options, baseDir: ROOT, ruleSet: { forbidden }, validate: true };
  const { output } = await cruise(['src'], wanted);
  if (typeof output === 'string')
    throw new TypeError('dependency-cruiser gave text instead of its findings.');
  return output;
}

/** Its findings in another tree when it is called manually: `npx depcruise src`. */
async function examineByHand(base: string): Promise<ICruiseResult> {
  const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const argv = [program, 'src', '--config', join(ROOT, '.dependency-cruiser.mjs'), '--output-type', 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: base });
  return JSON.parse(stdout) as ICruiseResult;
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
  let result: ICruiseResult;
  beforeAll(async () => {
    result = await examine();
  }, 60_000);

  test('are kept', () => {
    expect(breachesOf(result)).toEqual([]);
  });

  test('have no unused exceptions', () => {
    const entries = Object.entries(PORTS_STILL_IMPORTED).flatMap(([adapter, ports]) =>
      ports.map((port) => ({
        adapter: `src/adapters/inbound/${adapter}/`,
        port: `src/application/ports/${port}.ts`,
      })),
    );
    const unused = entries.filter(
      ({ adapter, port }) =>
        !result.modules.some(
          ({ source, dependencies }) =>
            source.startsWith(adapter) && dependencies.some(({ resolved }) => resolved === port),
        ),
    );
    expect(unused).toEqual([]);
  });

  test.each(Object.entries(MIN_MODULES))('%s is read whole', async (layer, fewest) => {
    const files = await filesOf(layer);
    const { modules } = result;
    const seen = new Set(
      modules.filter(({ dependencies }) => dependencies !== undefined).map(({ source }) => source),
    );
    expect(files.length).toBeGreaterThanOrEqual(fewest);
    expect(files.filter((path) => !seen.has(path))).toEqual([]);
  });

  test('markup hides no import: pages are seen to import their views', async () => {
    const pages = (await sourcesOf('adapters')).filter(
      ({ path, text }) => path.endsWith('.tsx') && /^import /m.test(text),
    );
    expect(pages.length).toBeGreaterThan(50);
    const blind = pages.filter(
      ({ path }) =>
        !result.modules.some(({ source, dependencies }) => source === path && dependencies.length > 0),
    );
    expect(blind.map(({ path }) => path)).toEqual([]);
  });

  test('every adapter folder has modules', async () => {
    const files = await filesOf('adapters');
    const folders = await Promise.all(
      ['', '/inbound', '/outbound'].map(async (parent) =>
        (await readdir(join(ROOT, 'src/adapters', parent), { withFileTypes: true }))
          .filter((entry) => entry.isDirectory())
          .map(({ name }) => `src/adapters${parent}/${name}/`),
      ),
    );
    expect(folders.flat().filter((folder) => !files.some((path) => path.startsWith(folder)))).toEqual([]);
  });

  test('imports are seen at all: the program is one connected whole', () => {
    const { modules } = result;
    const imports = modules.flatMap(({ dependencies }) => dependencies);
    expect(imports.length).toBeGreaterThan(modules.length);
  });
});

/** One violation of each rule: the file, its content, and the rule that must name it. */
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
    `import { s } from '../adapters/outbound/storage/s.ts';\nexport const a = s;`,
  ],
  ['application-knows-only-ports', 'application/b.ts', `export { readFile } from 'node:fs/promises';`],
  ['application-knows-only-ports', 'application/c.ts', `export const c = () => import('knex');`],
  [
    'ports-know-no-use-case',
    'application/ports/p.ts',
    `import type { U } from '../use.ts';\nexport type P = U;`,
  ],
  [
    'inbound-adapters-know-no-outbound',
    'adapters/inbound/cli/x.ts',
    `import { s } from '../../outbound/storage/s.ts';\nexport const x = s;`,
  ],
  [
    'inbound-adapters-know-no-outbound',
    'adapters/inbound/web/page.tsx',
    `import { s } from '../../outbound/storage/s.ts';\nexport const Page = () => <p>{s}</p>;`,
  ],
  [
    'outbound-adapters-know-only-ports',
    'adapters/outbound/hosts/y.ts',
    `import { m } from '../../bootstrap/m.ts';\nexport const y = m;`,
  ],
  [
    'outbound-adapters-know-only-ports',
    'adapters/outbound/storage/y.ts',
    `import type { U } from '../../../application/use.ts';\nexport type Y = U;`,
  ],
  [
    'outbound-adapters-know-only-ports',
    'adapters/outbound/storage/z.ts',
    `import { c } from '../../inbound/api/c.ts';\nexport const z = c;`,
  ],
  [
    'outbound-adapters-keep-apart',
    'adapters/outbound/hosts/x.ts',
    `import { s } from '../storage/s.ts';\nexport const x = s;`,
  ],
  [
    'demo-knows-no-adapter',
    'adapters/demo/x.ts',
    `import { c } from '../inbound/api/c.ts';\nexport const x = c;`,
  ],
  [
    'inbound-adapters-know-no-port',
    'adapters/inbound/web/pages/store.tsx',
    `import type { Port } from '../../../../application/ports/port.ts';\nexport const P = (s: Port) => <p>{s}</p>;`,
  ],
  ...['api', 'cli', 'worker'].map(
    (adapter) =>
      [
        `inbound-adapters-know-no-port-${adapter}`,
        `adapters/inbound/${adapter}/store.ts`,
        `import type { Port } from '../../../application/ports/port.ts';\nexport type S = Port;`,
      ] as const,
  ),
  [
    'container-only-in-bootstrap',
    'adapters/outbound/storage/c.ts',
    `import { Container } from 'inversify';\nexport const c = Container;`,
  ],
  [
    'stdio-adapter-is-light',
    'adapters/inbound/stdio/h.ts',
    `import { s } from './heavy.ts';\nexport const h = s;`,
  ],
  [
    'stdio-adapter-is-light',
    'adapters/inbound/stdio/heavy.ts',
    `import knex from 'knex';\nexport const s = knex;`,
  ],
  ['no-cycle', 'domain/ring-a.ts', `import { b } from './ring-b.ts';\nexport const a = () => b;`],
  [
    'only-shipped-packages',
    'adapters/outbound/storage/d.ts',
    `import { test } from 'vitest';\nexport const d = test;`,
  ],
  [
    'only-what-is-there',
    'adapters/outbound/storage/e.ts',
    `import { e } from './nowhere.ts';\nexport const x = e;`,
  ],
  [
    'nothing-outside-src',
    'adapters/outbound/storage/f.ts',
    `import { f } from '../../../../test/f.ts';\nexport const x = f;`,
  ],
];

const BESIDE: readonly (readonly [file: string, text: string])[] = [
  ['src/domain/ring-b.ts', `import { a } from './ring-a.ts';\nexport const b = () => a;`],
  ['src/application/ports/port.ts', 'export type Port = string;'],
  ['src/application/use.ts', 'export type U = string;'],
  ['src/adapters/outbound/storage/s.ts', 'export const s = 1;'],
  ['src/adapters/outbound/backup/ok.ts', `import { h } from '../hosts/h.ts';\nexport const ok = h;`],
  ['src/adapters/outbound/hosts/h.ts', 'export const h = 1;'],
  ['src/adapters/bootstrap/m.ts', `import { Container } from 'inversify';\nexport const m = Container;`],
  ['src/adapters/inbound/cli/ok.ts', `import { c } from '../api/c.ts';\nexport const ok = c;`],
  ['src/adapters/inbound/api/c.ts', 'export const c = 1;'],
  ['src/application/ports/base/clock.ts', 'export type Clock = number;'],
  [
    'src/adapters/inbound/web/clock.tsx',
    `import type { Clock } from '../../../application/ports/base/clock.ts';\nexport const C = (c: Clock) => <p>{c}</p>;`,
  ],
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
      const found = (await examineByHand(base)).summary.violations.map(
        ({ rule, from }) => `${rule.name}: ${from}`,
      );
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
    expect(rules.filter((name) => !named.has(name))).toEqual([]);
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
    for (const text of ["process.env['HOME']", "import { env } from 'node:process';", "process['env']"])
      expect(environment.test(text), text).toBe(true);
  });

  test.each([
    [
      'domain',
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bset(Timeout|Interval|Immediate)\(|\bcrypto\./,
      ['Date.now()', 'new Date()', 'Math.random()', 'setTimeout(f, 1)', 'crypto.randomUUID()'],
    ],
    [
      'application',
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bcrypto\./,
      ['Date.now()', 'new Date()', 'Math.random()', 'crypto.randomUUID()'],
    ],
  ])('%s asks neither time nor chance but through ports', async (layer, asks, breaches) => {
    const sources = await sourcesOf(layer);
    expect(breaches.filter((text) => !asks.test(text))).toEqual([]);
    expect(sources.filter(({ text }) => asks.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
