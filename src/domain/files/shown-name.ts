import { nameFault } from './jail-path.ts';

/** A name as it is shown: itself, or (`escaped`) written with backslashes, and then no path can name it. */
export interface ShownName {
  readonly text: string;
  readonly escaped: boolean;
}

/**
 * Shows a name of a host's file system. Those that a `JailPath` takes are shown as they are. All else is written so that
 * nothing in it acts on a terminal or passes for another name: `\n`, `\t`, `\\`, `\xff` for a byte, `\u{202e}` for an
 * invisible character.
 */
export function shownName(bytes: Uint8Array): ShownName {
  const text = textOf(bytes);
  if (text === null) return { text: Array.from(bytes, shownByte).join(''), escaped: true };
  return nameFault(text) === null
    ? { text, escaped: false }
    : { text: Array.from(text, shownCharacter).join(''), escaped: true };
}

/** An absolute path of a host, name by name. */
export function shownPath(bytes: Uint8Array): ShownName {
  const names: ShownName[] = [];
  for (let from = 1; from <= bytes.length; ) {
    const slash = bytes.indexOf(SLASH, from);
    const end = slash < 0 ? bytes.length : slash;
    names.push(shownName(bytes.subarray(from, end)));
    from = end + 1;
  }
  return {
    text: names.map(({ text }) => `/${text}`).join(''),
    escaped: names.some(({ escaped }) => escaped),
  };
}

const SLASH = 0x2f;

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\\': '\\\\' };

function shownCharacter(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  if (nameFault(character) === null || character === '.') return character;
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? `\\x${hex(code)}` : `\\u{${code.toString(16)}}`;
}

function shownByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (byte >= 0x20 && byte < 0x7f) return SHORT[character] ?? character;
  return SHORT[character] ?? `\\x${hex(byte)}`;
}

const hex = (code: number): string => code.toString(16).padStart(2, '0');
