import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from '@swc/core';
import { describe, expect, it } from 'vitest';

/** Drover's own commands, and others that texts of Drover suggest, up to the end of the sentence or the line. */
const COMMAND =
  /(?:\bdrover [a-z][a-z-]*|\bchmod \d|\bchown -|\bdocker login|\b(?:claude|codex) mcp add|\bcurl -|\bssh-keygen -|\bmkdir -p ~|\bapt-get install)(?:[^\n`;).]|\.(?!\s))*?\u0001/;

type Node = { readonly type?: string; readonly [field: string]: unknown };
type Template = {
  readonly expressions: readonly Node[];
  readonly quasis: readonly { readonly cooked: string }[];
};

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Each composed text, with U+0001 for inserted values. */
function* composed(node: Node): Generator<string> {
  if (node.type === 'TaggedTemplateExpression') {
    // shellCommand quotes its values; String.raw has scripts for hosts, which the ports to hosts guard.
    yield* inside((node['template'] as Template).expressions);
    return;
  }
  if (node.type === 'TemplateLiteral') {
    yield (node as unknown as Template).quasis.map(({ cooked }) => cooked).join('\u0001');
  }
  if (node.type === 'BinaryExpression' && node['operator'] === '+') {
    yield [node['left'], node['right']].map(literal).join('');
  }
  if (node.type === 'JSXElement' || node.type === 'JSXFragment') {
    yield (node['children'] as Node[]).map(literal).join('');
  }
  yield* inside(Object.values(node));
}

function* inside(values: readonly unknown[]): Generator<string> {
  for (const value of values) {
    if (Array.isArray(value)) yield* inside(value);
    else if (isNode(value)) yield* composed(value);
  }
}

function literal(value: unknown): string {
  const node = value as Node;
  if (node.type === 'StringLiteral' || node.type === 'JSXText') return String(node['value']);
  const own = node.type === 'JSXExpressionContainer' ? (node['expression'] as Node) : node;
  return own.type === 'StringLiteral' ? String(own['value']) : '\u0001';
}

const commandsOf = (source: string, tsx = true): readonly string[] =>
  [...composed(parseSync(source, { syntax: 'typescript', tsx }) as unknown as Node)].flatMap((text) => {
    const [found] = COMMAND.exec(text) ?? [];
    return found === undefined ? [] : [found.replaceAll('\u0001', '{}')];
  });

describe('commands that are suggested to people', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => `src/${path}`);

  it('are built by shellCommand wherever a value is in them', () => {
    expect(files.length).toBeGreaterThan(500);
    const found = files.flatMap((file) =>
      commandsOf(readFileSync(file, 'utf8'), file.endsWith('x')).map((command) => `${file}: ${command}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ['`Try drover server check ${name}.`', 1],
    ["`drover server edit 1 --jail '${jail}'`", 1],
    ["'drover server check ' + name", 1],
    ['<code>drover user link {name}</code>', 1],
    ['`Try ${shellCommand`drover server check ${name}`}.`', 0],
    ['`See drover doctor. ${name} is off.`', 0],
    ['`${name} is off; see: drover doctor\\n`', 0],
  ])('are noticed: %s', (source, expected) => {
    expect(commandsOf(`x(${source});`)).toHaveLength(expected);
  });
});
