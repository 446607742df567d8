import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { analyse } from 'scslre';

/**
 * Regular expressions with super-linear worst-case time.
 *
 * @param {string} folder
 * @returns {string[]} one line for each: where it is, and what repeats
 */
export function backtracking(folder) {
  const faults = [];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((path) => /\.tsx?$/.test(path))) {
    for (const expression of expressionsIn(readFileSync(join(folder, file), 'utf8'), file.endsWith('x'))) {
      if (isSuperLinear(expression)) faults.push(`${file}: /${expression.source}/${expression.flags}`);
    }
  }
  return faults;
}

/** @type {Map<string, boolean>} */
const known = new Map();

/** @param {{ readonly source: string, readonly flags: string }} expression */
export function isSuperLinear({ source, flags }) {
  const key = `/${source}/${flags}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = analyse({ source, flags }, { maxReports: 1 }).reports.length > 0;
  known.set(key, found);
  return found;
}

/**
 * @param {string} code
 * @param {boolean} tsx
 */
export function expressionsIn(code, tsx = false) {
  /** @type {{ source: string, flags: string }[]} */
  const found = [];
  collect(parseSync(code, { syntax: 'typescript', tsx, target: 'es2022' }).body, found);
  return found;
}

/**
 * @param {unknown} node
 * @param {{ source: string, flags: string }[]} found
 */
function collect(node, found) {
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node && node.type === 'RegExpLiteral' && 'pattern' in node && 'flags' in node) {
    found.push({ source: String(node.pattern), flags: String(node.flags) });
  }
  for (const value of Object.values(node)) collect(value, found);
}
