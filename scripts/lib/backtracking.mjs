import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { analyse } from 'scslre';

/**
 * Expressions that are made of text that is not known before the program runs. Each needs a reason.
 *
 * @type {Readonly<Record<string, string>>}
 */
const MADE_OF_VARIABLES = {
  'adapters/backup/exclude-matcher.ts':
    'patterns of a source: each character is quoted, and one with several wildcards is matched character by character',
};

/**
 * Regular expressions whose time grows faster than the text that they look at, in the worst case, and those that nobody can
 * tell this of.
 *
 * @param {string} folder
 * @returns {string[]} one line for each: where it is, and what repeats
 */
export function backtracking(folder) {
  const faults = [];
  const variable = new Set();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((path) => /\.tsx?$/.test(path))) {
    for (const expression of expressionsIn(readFileSync(join(folder, file), 'utf8'), file.endsWith('x'))) {
      if (expression.source === null) {
        variable.add(file);
        if (!(file in MADE_OF_VARIABLES)) faults.push(`${file}: an expression is made of variable text`);
      } else if (isSuperLinear(expression)) faults.push(`${file}: /${expression.source}/${expression.flags}`);
    }
  }
  for (const file of Object.keys(MADE_OF_VARIABLES))
    if (!variable.has(file)) faults.push(`${file}: no expression is made of variable text any more`);
  return faults;
}

/** @type {Map<string, boolean>} */
const known = new Map();

/** @param {Expression} expression */
export function isSuperLinear({ source, flags }) {
  if (source === null) return false;
  const key = `/${source}/${flags}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = analyse({ source, flags }, { maxReports: 1 }).reports.length > 0;
  known.set(key, found);
  return found;
}

/** @typedef {{ readonly source: string | null, readonly flags: string }} Expression `null`: made of variable text */
/** @typedef {{ readonly [field: string]: unknown }} Node */
/** @typedef {string | number} Constant */

/** @type {(value: Constant | null) => string | null} */
const asText = (value) => (value === null ? null : String(value));

/**
 * Literals, and what `RegExp` is called with.
 *
 * @param {string} code
 * @param {boolean} tsx
 */
export function expressionsIn(code, tsx = false) {
  /** @type {Expression[]} */
  const found = [];
  /** @type {Map<string, Constant>} */
  const constants = new Map();
  collect(parseSync(code, { syntax: 'typescript', tsx, target: 'es2022' }).body, found, constants);
  return found;
}

/**
 * @param {unknown} value
 * @param {Expression[]} found
 * @param {Map<string, Constant>} constants texts and numbers, by name, in the order of the source
 */
function collect(value, found, constants) {
  if (typeof value !== 'object' || value === null) return;
  const node = /** @type {Node} */ (value);
  if (node['type'] === 'RegExpLiteral') {
    found.push({ source: String(node['pattern']), flags: String(node['flags']) });
  }
  if (node['type'] === 'VariableDeclaration' && node['kind'] === 'const') {
    for (const { id, init } of /** @type {{ id: Node, init: unknown }[]} */ (node['declarations'])) {
      const text = valueOf(init, constants);
      if (text !== null && id['type'] === 'Identifier') constants.set(String(id['value']), text);
    }
  }
  if (isNamed(node['callee'], 'RegExp')) {
    const [source, flags] = /** @type {{ expression: Node }[]} */ (node['arguments'] ?? []);
    found.push({
      source: asText(valueOf(source?.expression, constants)),
      flags: asText(valueOf(flags?.expression, constants)) ?? '',
    });
  }
  for (const each of Object.values(node)) collect(each, found, constants);
}

/** @type {(value: unknown, name: string) => boolean} */
const isNamed = (value, name) => {
  const node = /** @type {Node | undefined} */ (value);
  return node?.['type'] === 'Identifier' && node['value'] === name;
};

/**
 * The value of an expression that is made of constants alone.
 *
 * @param {unknown} value
 * @param {ReadonlyMap<string, Constant>} constants
 * @returns {Constant | null}
 */
function valueOf(value, constants) {
  const node = /** @type {Node | null | undefined} */ (value);
  switch (node?.['type']) {
    case 'StringLiteral':
      return String(node['value']);
    case 'NumericLiteral':
      return Number(node['value']);
    case 'Identifier':
      return constants.get(String(node['value'])) ?? null;
    case 'ParenthesisExpression':
      return valueOf(node['expression'], constants);
    case 'BinaryExpression': {
      if (node['operator'] !== '+') return null;
      const [left, right] = [valueOf(node['left'], constants), valueOf(node['right'], constants)];
      if (left === null || right === null) return null;
      return typeof left === 'number' && typeof right === 'number' ? left + right : `${left}${right}`;
    }
    case 'TaggedTemplateExpression':
      return /** @type {Node} */ (node['tag'])['type'] === 'MemberExpression'
        ? templateText(/** @type {Node} */ (node['template']), constants, 'raw')
        : null;
    case 'TemplateLiteral':
      return templateText(node, constants, 'cooked');
    default:
      return null;
  }
}

/**
 * @param {Node} template
 * @param {ReadonlyMap<string, Constant>} constants
 * @param {'raw' | 'cooked'} form
 */
function templateText(template, constants, form) {
  const quasis = /** @type {Record<'raw' | 'cooked', string>[]} */ (template['quasis']);
  const values = /** @type {unknown[]} */ (template['expressions']).map((each) => valueOf(each, constants));
  if (values.includes(null)) return null;
  return quasis.map((quasi, index) => `${quasi[form]}${values[index] ?? ''}`).join('');
}
