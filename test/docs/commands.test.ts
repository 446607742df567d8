import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/adapters/bootstrap/config.ts';
import { droverFault } from './command-line.ts';
import { allPages, anchorsOf, inlineCommands, ROOT, shellCommands } from './markdown.ts';

const pages = await allPages();
const scripts: Record<string, string> = JSON.parse(
  await readFile(join(ROOT, 'package.json'), 'utf8'),
).scripts;

/** Other programs that the pages call: they come with the system, and test/docs/quick-start runs the README's. */
const PROGRAMS = [
  'cat',
  'curl',
  'date',
  'mkdir',
  'mv',
  'openssl',
  'prometheus',
  'promtool',
  'ssh-keygen',
  'unzip',
];
/** Those of the pages on installation; test/deploy checks the files that they use. */
const OF_DEPLOYMENT = [
  'cd',
  'cp',
  'docker',
  'echo',
  'git',
  'install',
  'journalctl',
  'systemctl',
  'useradd',
  './make-secrets.sh',
  './start-galera.sh',
];

/** The fault of a command; `null` if it would run. */
async function faultOf(command: string): Promise<string | null> {
  const [, settings = '', rest = ''] = /^((?:[A-Z_]+=\S+ )*)(.*)$/.exec(command) ?? [];
  const [program = '', word = '', third = ''] = rest.split(' ');
  const env = Object.fromEntries(
    settings
      .trim()
      .split(' ')
      .filter(Boolean)
      .map((each) => each.split('=', 2)),
  );
  const [warning] = readConfig(env, () => 'content').warnings;
  if (warning) return warning;
  if (program === 'drover') return droverFault(rest);
  if (program === 'npx' && word === 'drover') return droverFault(rest.slice('npx '.length));
  if (program === 'npx')
    return existsSync(join(ROOT, 'node_modules/.bin', word)) ? null : `no program ${word}`;
  if (program === 'npm') {
    const script = word === 'run' ? third : word;
    return script in scripts ? null : `no npm script ${script}`;
  }
  return [...PROGRAMS, ...OF_DEPLOYMENT].includes(program) ? null : `unknown program ${program}`;
}

/** A sentence may name only the verb, or break off before the last value. */
const unlessUnfinished = (fault: string | null): string | null =>
  fault !== null && /missing required argument|argument missing|not specified/.test(fault) ? null : fault;

describe('Every command in the pages', () => {
  const commands = pages.flatMap((page) =>
    shellCommands(page).map((command) => [page.path, command] as const),
  );

  test.each(commands)('%s: %s', async (_, command) => {
    expect(await faultOf(command)).toBeNull();
  });

  test('is read at all', () => {
    expect(commands.length).toBeGreaterThan(40);
  });

  test('would be found out if it were wrong', async () => {
    expect(await faultOf('npx drover server lst')).toContain("unknown command 'lst'");
    expect(await faultOf('npx drover job start web backup --folow')).toContain("unknown option '--folow'");
    expect(await faultOf('npm run fly')).toContain('fly');
    expect(await faultOf('rm -rf /')).toContain('rm');
    expect(await faultOf('SERVICE_HOTS=0.0.0.0 npm start')).toContain('Did you mean SERVICE_HOST?');
  });
});

describe('Every command in a sentence', () => {
  const commands = pages.flatMap((page) =>
    inlineCommands(page).map((command) => [page.path, command] as const),
  );

  test.each(commands)('%s: %s', async (_, command) => {
    expect(unlessUnfinished(await droverFault(command.replace(/\bID\b/g, '1')))).toBeNull();
  });
});

describe('Every command in an example of the help', async () => {
  const page = pages.find(({ path }) => path === 'docs/cli.md');
  const examples = [...(page?.text.matchAll(/^ {2}\$ (?:\S+=\S+ )*(drover .*)$/gm) ?? [])].map(
    ([, line = '']) => line,
  );

  test.each(examples)('%s', async (command) => {
    expect(await droverFault(command)).toBeNull();
  });

  test('is read at all', () => expect(examples.length).toBeGreaterThan(20));
});

describe('Every command that a message of the program tells people to type', async () => {
  const sources = (await readdir(join(ROOT, 'src'), { recursive: true })).filter((path) =>
    path.endsWith('.ts'),
  );
  const texts = await Promise.all(
    sources.map(async (path) => [path, await readFile(join(ROOT, 'src', path), 'utf8')] as const),
  );
  const verbs =
    'server|key|source|repository|job|batch|schedule|window|alert|webhook|snapshot|backup|restore|token|doctor|serve';
  const commands = texts.flatMap(([path, text]) =>
    [...text.matchAll(new RegExp(`drover (?:${verbs})\\b(?:[^\`'"\\\\\\n;,(]|(?<=\\$)\\{)*`, 'g'))].map(
      ([line]) => [path, line.trim()] as const,
    ),
  );

  test.each(commands)('%s: %s', async (_, line) => {
    const filled = line
      .replace(/\$\{[^}]*flag[^}]*\}/g, 'backup')
      .replace(/\$\{[^}]*\}?/g, '1')
      .replace(/\bID\b/g, '1')
      .replace(/[.)]+$/, '');
    expect(unlessUnfinished(await droverFault(filled))).toBeNull();
  });

  test('is read at all', () => expect(commands.length).toBeGreaterThan(20));
});

describe('A file of settings', () => {
  test('is on no command line of the pages', () => {
    const found = pages.filter(({ text }) => /\benv\s+["']?\$\(/.test(text));
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

describe('Every link in the pages', () => {
  const links = pages.flatMap((page) =>
    [...page.text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(
      ([, target = '']) => [page.path, target] as const,
    ),
  );

  test.each(links)('%s: %s', (path, target) => {
    expect(existsSync(join(ROOT, dirname(path), target))).toBe(true);
  });
});

describe('Every link to a heading', () => {
  const anchors = new Map(pages.map((page) => [page.path, anchorsOf(page)]));
  const links = pages.flatMap((page) =>
    [...page.text.matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)].map(
      ([, target = '', anchor = '']) => [page.path, target, anchor] as const,
    ),
  );

  test.each(links)('%s: %s#%s', (path, target, anchor) => {
    const linked = target === '' ? path : normalize(join(dirname(path), target));
    expect(anchors.get(linked)).toContain(anchor);
  });

  test('is read at all', () => expect(links.length).toBeGreaterThan(40));
});

describe('Every decision', () => {
  test('has a unique number', async () => {
    const names = await readdir(join(ROOT, 'docs/decisions'));
    const numbers = names.map((name) => /^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1] ?? name);
    expect(numbers).toEqual([...new Set(numbers)]);
    expect(numbers.every((number) => /^\d{4}$/.test(number))).toBe(true);
  });
});
