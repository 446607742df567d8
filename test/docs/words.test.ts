import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { beforeAll, describe, expect, it } from 'vitest';
import { allPages, type Page } from './markdown.ts';
import { EXCEPTIONS, INTERNALS, STANDARD_TERMS, WORDS } from './words.ts';

interface Finding {
  readonly path: string;
  readonly text: string;
  readonly better: string;
}

const faultsOf = (path: string, text: string): readonly Finding[] =>
  WORDS.flatMap(([word, better]) => {
    const found = word.exec(text);
    if (found === null) return [];
    const near = text.slice(Math.max(0, found.index - 40), found.index + 40).replaceAll(/\s+/g, ' ');
    const isException = EXCEPTIONS.some((each) => each.path.test(path) && each.text.test(found[0]));
    return isException ? [] : [{ path, text: near, better }];
  });

type Node = { readonly type?: string; readonly [field: string]: unknown };
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const TEST_FUNCTIONS = new Set(['it', 'test', 'describe', 'describeWith', 'describeTorture']);

/** `it` of `it.each(rows)(title, …)`. */
const calledName = (callee: unknown): unknown => {
  if (!isNode(callee)) return undefined;
  if (callee.type === 'Identifier') return callee['name'];
  return calledName(callee['object'] ?? callee['callee'] ?? callee['tag']);
};

function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type === 'JSXText') return String(node['value']);
  if (node.type !== 'TemplateLiteral') return undefined;
  return (node['quasis'] as readonly { value: { cooked: string | null } }[])
    .map(({ value }) => value.cooked ?? '')
    .join('…');
}

/** Strings and JSX text of more than one word: prose, and no identifiers. `only`: in arguments of these functions. */
function* prose(value: unknown, only?: ReadonlySet<string>): Generator<string> {
  if (Array.isArray(value)) for (const each of value) yield* prose(each, only);
  else if (isNode(value)) {
    if (value.type === 'ImportDeclaration' || value.type === 'TaggedTemplateExpression') return;
    const isTitled = value.type === 'CallExpression' && only?.has(String(calledName(value['callee'])));
    const titles = isTitled ? (value['arguments'] as readonly unknown[]).map(textOf) : [];
    for (const text of only ? titles : [textOf(value)])
      if (text !== undefined && /\w \w/.test(text.trim())) yield text;
    yield* prose(Object.values(value), only);
  }
}

/** Without words in backticks, which are identifiers, and with one blank between words. */
const plain = (text: string): string => text.replaceAll(/`[^`\n]*`/g, '``').replaceAll(/\s+/g, ' ');

interface Source {
  readonly path: string;
  readonly comments: readonly string[];
  readonly texts: readonly string[];
}

function sourceOf(path: string, source: string): Source {
  const { program, comments, errors } = parseSync(path, source, { sourceType: 'module' });
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const isTest = path.startsWith('test/');
  return {
    path,
    // lines of one comment are read together, since a phrase may go over a line's end
    comments: source.includes('//') || source.includes('/*') ? joined(comments, source) : [],
    texts: [...prose(program, isTest ? TEST_FUNCTIONS : undefined)],
  };
}

function joined(
  comments: readonly { readonly value: string; readonly start: number; readonly end: number }[],
  source: string,
): readonly string[] {
  const texts: string[] = [];
  let end = -1;
  for (const comment of comments) {
    const text = comment.value.replaceAll(/\n\s*\*/g, '\n');
    const isNext = end >= 0 && /^\s*$/.test(source.slice(end, comment.start));
    if (isNext) texts.push(`${texts.pop()}\n${text}`);
    else texts.push(text);
    end = comment.end;
  }
  return texts.map(plain);
}

const NO_SOURCES = /(^|\/)(golden|node_modules|results|releases|migrations|recordings|htmx)(\/|$)|\.min\./;
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter((path) => /\.(tsx?|m?js)$/.test(path) && !NO_SOURCES.test(path));

/** Files with comments, alert texts and descriptions that are neither pages nor programs. */
const configurations = (): readonly string[] => [
  'Dockerfile',
  ...['.github', 'deploy', 'examples'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.(md|m?js)$/.test(entry.name))
      .map((entry) => `${entry.parentPath}/${entry.name}`),
  ),
];

/** Without blocks of code, words in backticks and addresses. */
const wordsOf = ({ text }: Page): string =>
  text
    .replaceAll(/^ *```[^]*?^ *```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '``')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/\n *(?=[^\s#|>*\d-])/g, ' ');

/** Subjects of the commits since these words are checked; `null` in a copy without that history. */
function recentSubjects(): readonly string[] | null {
  const base = '7517b907681fa4e098034c7df624cf11589832a3';
  try {
    const log = execFileSync(
      'git',
      ['-c', 'safe.directory=*', 'log', '--no-merges', '--format=%s', `${base}..HEAD`],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
    return log.split('\n').filter((line) => line !== '');
  } catch {
    return null;
  }
}

describe('The words', () => {
  let pages: readonly Page[];
  let sources: readonly Source[];
  beforeAll(async () => {
    pages = await allPages();
    const folders = ['src', 'test', 'scripts', 'bench', 'bin', 'examples', 'deploy'];
    sources = folders.flatMap(filesIn).map((path) => sourceOf(path, readFileSync(path, 'utf8')));
    expect(sources.length).toBeGreaterThan(1_500);
  }, 120_000);

  it('of every page are plain', () => {
    expect(pages.length).toBeGreaterThan(90);
    expect(pages.flatMap((page) => faultsOf(page.path, wordsOf(page)))).toEqual([]);
  });

  it('of guides and runbooks name no internals', () => {
    const guides = pages.filter(({ path }) => /^(README|docs\/(how-to|runbooks|tutorial))/.test(path));
    expect(guides.length).toBeGreaterThan(20);
    const found = guides.filter((page) =>
      INTERNALS.test(wordsOf(page).replaceAll(/in one transaction/g, '')),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  it.each(STANDARD_TERMS)('of the pages include %j', (term) => {
    expect(pages.some(({ text }) => text.toLowerCase().includes(term.toLowerCase()))).toBe(true);
  });

  it('of the program and of test titles are plain', () => {
    expect(sources.flatMap(({ path, texts }) => texts.flatMap((text) => faultsOf(path, text)))).toEqual([]);
  });

  it('of comments are plain', () => {
    expect(sources.flatMap(({ path, comments }) => comments.flatMap((text) => faultsOf(path, text)))).toEqual(
      [],
    );
  });

  it('of alert rules, deployment files and templates are plain', () => {
    const files = configurations();
    expect(files.length).toBeGreaterThan(30);
    const textOfFile = (path: string): string =>
      plain(readFileSync(path, 'utf8').replaceAll(/\n\s*#/g, '\n'));
    expect(files.flatMap((path) => faultsOf(path, textOfFile(path)))).toEqual([]);
  });

  const subjects = recentSubjects();
  it(`of commit subjects are ${subjects ? 'plain' : 'not checked here: this copy has no history'}`, () => {
    const faulty = (subjects ?? []).filter((subject) => !/^[A-Z]\S* .{2,70}[^.]$/.test(subject));
    expect(faulty).toEqual([]);
    expect((subjects ?? []).flatMap((subject) => faultsOf('a commit', plain(subject)))).toEqual([]);
  });

  it.each([
    ['x(`The job is under way on ${host}.`);', 1],
    ["x('Whoever opens it has every secret.');", 1],
    ["x('1 source(s)');", 1],
    ['x(<p>Nothing is lost. Somebody else has it.</p>);', 1],
    ["x('anew');", 0],
    ["x('The job is running.');", 0],
    ['// What is under way ends.\nx();', 1],
    ['/** It is so that\n * nobody sees it. */\nx();', 1],
    ['// One line, and the next is under\n// way.\nx();', 1],
    ['/** The function `anew`. */\nx();', 0],
  ])('that are not are found: %j', (source, count) => {
    const { comments, texts } = sourceOf('src/x.tsx', source);
    expect([...comments, ...texts].flatMap((text) => faultsOf('src/x.tsx', text))).toHaveLength(count);
  });

  it.each([
    ["it('is told of it', () => {});", 1],
    ["it.each([1])('forgets %i runs', () => {});", 1],
    ["describeWith('fleet', 'a former release', () => {});", 1],
    ["expect('is told of it').toBe(1);", 0],
  ])('of a test that are not are found: %j', (source, count) => {
    const found = sourceOf('test/x.test.ts', source).texts.flatMap((text) =>
      faultsOf('test/x.test.ts', text),
    );
    expect(new Set(found.map(({ text }) => text)).size).toBe(count);
  });

  it('have a glossary with one sorted row for each term', async () => {
    const glossary = pages.find(({ path }) => path === 'docs/glossary.md');
    const terms = [...(glossary?.text ?? '').matchAll(/^\| (.+?) \| .+ \|$/gm)]
      .map(([, term]) => String(term).toLowerCase())
      .filter((term) => term !== 'term');
    expect(terms.length).toBeGreaterThan(50);
    expect(terms).toEqual([...new Set(terms)].toSorted(new Intl.Collator('en').compare));
    for (const path of ['CONTRIBUTING.md', 'docs/README.md'])
      expect(pages.find((page) => page.path === path)?.text).toContain('glossary.md)');
  });
});
