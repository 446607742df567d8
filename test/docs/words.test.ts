import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from '@swc/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { allPages, type Page } from './markdown.ts';

/** Words that readers stumble over, and what the field says. Terms of Drover are in docs/glossary.md. */
const WORDS: readonly (readonly [word: RegExp, better: string])[] = [
  [/\banew\b/i, 'again, or recreate, reinstall, reboot'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bwho(m|so)?ever\b/i, 'anyone who, or the role'],
  [/\bso (many|much) (days|hours|minutes|seconds|servers|hosts|jobs|files|later|long)\b/i, 'a number of'],
  [/\bby (itself|themselves)\b/i, 'automatically, or separately'],
  [/\bunder way\b/i, 'running, in progress'],
  [/\bof (yours|ours)\b/i, 'your, Drover’s'],
  [/\b(is|are|was|were|be|been) told\b/i, 'is notified, is reported'],
  [/\btells (of|nobody|somebody|how|what|that|which|whether)\b/i, 'reports, shows, lists'],
  [/\b(give|gives|gave|given|giving) (it |them |that |this )?back\b/i, 'restore, return'],
  [/\blet(s|ting)? go of\b/i, 'release, stop'],
  [/\b(takes?|took|taken) (it |them )?away\b/i, 'remove, delete'],
  [/\bsomebody\b/i, 'a user, someone'],
  [/\banybody\b/i, 'anyone'],
  [/\bany more\b/i, 'no longer'],
  [/\bfor ever\b/i, 'forever'],
  [/\bon the page\b/i, 'in the web UI'],
  [/\bno good\b/i, 'invalid'],
  [/\bwhat (came|becomes?|became) of\b/i, 'result'],
  [/\bmade anew\b/i, 'recreated'],
  [/\bnot (set up|installed) to the end\b/i, 'incomplete'],
  [/\bgot onto\b/i, 'connected to'],
  [/\bis begun\b/i, 'starts'],
  [/\bshall\b/i, 'must, will'],
  [/\b(thereby|therein|thereof|whereby|wherein|hence|lest)\b/i, 'plain words'],
];

/** Pages that are still to be rewritten. The list only gets shorter. */
const TO_REWRITE = /^(CHANGELOG\.md|docs\/(security|testing|architecture)\.md|docs\/decisions\/.*)$/;

interface Finding {
  readonly path: string;
  readonly text: string;
  readonly better: string;
}

const faultsOf = (path: string, text: string): readonly Finding[] =>
  WORDS.flatMap(([word, better]) => {
    const found = word.exec(text);
    return found ? [{ path, text: around(text, found.index), better }] : [];
  });

const around = (text: string, at: number): string =>
  text.slice(Math.max(0, at - 40), at + 40).replaceAll(/\s+/g, ' ');

type Node = { readonly type?: string; readonly [field: string]: unknown };
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Texts of a source that have more than one word: what people read, and no identifiers. */
function* texts(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const each of value) yield* texts(each);
  else if (isNode(value)) {
    if (value.type === 'ImportDeclaration' || value.type === 'TaggedTemplateExpression') return;
    if (value.type === 'StringLiteral' || value.type === 'JSXText') yield String(value['value']);
    if (value.type === 'TemplateLiteral')
      yield (value['quasis'] as readonly { cooked: string }[]).map(({ cooked }) => cooked).join('…');
    yield* texts(Object.values(value));
  }
}

const prose = (source: string, tsx: boolean): readonly string[] =>
  [...texts(parseSync(source, { syntax: 'typescript', tsx }))].filter((text) => /\w \w/.test(text.trim()));

/** Without blocks of code and words in backticks, which are identifiers. */
const wordsOf = ({ text }: Page): string =>
  text
    .replaceAll(/^ *```[^]*?^ *```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '``')
    .replaceAll(/\]\([^)]*\)/g, ']');

describe('The words', () => {
  let pages: readonly Page[];
  beforeAll(async () => {
    pages = await allPages();
  });

  it('of every page are plain', () => {
    const done = pages.filter(({ path }) => !TO_REWRITE.test(path));
    expect(done.length).toBeGreaterThan(40);
    expect(done.flatMap((page) => faultsOf(page.path, wordsOf(page)))).toEqual([]);
  });

  it('of the program are plain', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !path.includes('/migrations/'))
      .map((path) => `src/${path}`);
    expect(files.length).toBeGreaterThan(500);
    const found = files.flatMap((path) =>
      prose(readFileSync(path, 'utf8'), path.endsWith('x')).flatMap((text) => faultsOf(path, text)),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ['`The job is under way on ${host}.`', 1],
    ["'Whoever opens it has every secret.'", 1],
    ['<p>Nothing is lost. Somebody else has it.</p>', 1],
    ["'anew'", 0],
    ["'The job is running.'", 0],
  ])('that are not are found: %s', (source, count) => {
    const found = prose(`x(${source});`, true).flatMap((text) => faultsOf('x.tsx', text));
    expect(found).toHaveLength(count);
  });
});
