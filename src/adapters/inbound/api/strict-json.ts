import { DomainError } from '../../../domain/base/errors.ts';

/** Nothing that callers send us is nested nearly as deep. */
const DEEPEST = 64;

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

/**
 * Parses unambiguous JSON. Beyond what `JSON.parse` refuses: an object with a duplicate key (readers differ in which
 * one counts), the key `__proto__`, and values nested deeper than 64. Throws `invalid_json`.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DomainError('invalid_json', 'The body is not valid JSON.');
  }
  checkStructure(text);
  return value;
}

/** Walks over text that is known to be valid JSON. */
function checkStructure(text: string): void {
  /** For each enclosing object or array: the keys seen in it. */
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 123: // {
      case 91: // [
        if (open.length === DEEPEST) {
          throw new DomainError('invalid_json', `The body is nested deeper than ${DEEPEST}.`);
        }
        open.push(new Set());
        break;
      case 125: // }
      case 93: // ]
        open.pop();
        break;
      case QUOTE: {
        const end = endOfString(text, at);
        if (isKey(text, end)) checkKey(text.slice(at, end + 1), open.at(-1));
        at = end;
        break;
      }
      default:
    }
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** In valid JSON a string is a key exactly if a colon follows. */
function isKey(text: string, end: number): boolean {
  let next = end + 1;
  while (text.charCodeAt(next) <= 32) next += 1;
  return text.charCodeAt(next) === COLON;
}

function checkKey(quoted: string, seen: Set<string> | undefined): void {
  const key = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  if (key === '__proto__') throw new DomainError('invalid_json', 'The key "__proto__" is not allowed.');
  if (seen?.has(key)) {
    throw new DomainError(
      'invalid_json',
      `The key ${JSON.stringify(key.slice(0, 80))} occurs twice in one object.`,
    );
  }
  seen?.add(key);
}
