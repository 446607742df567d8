import { compareNumbers } from './dpkg-version.ts';

/** Before the release itself, and after it. */
const BEFORE = ['alpha', 'beta', 'pre', 'rc'];
const AFTER = ['cvs', 'svn', 'git', 'hg', 'p'];

interface Parts {
  readonly numbers: readonly string[];
  readonly letter: string;
  readonly suffixes: readonly (readonly [rank: number, number: string])[];
  readonly revision: string;
}

/** As apk compares (apk-package(5)): `1.2.3a_rc1-r4`; negative, 0 or positive. */
export function compareApk(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)];
  return (
    compareLists(one.numbers, other.numbers) ||
    (one.letter === other.letter ? 0 : one.letter < other.letter ? -1 : 1) ||
    compareSuffixes(one.suffixes, other.suffixes) ||
    compareNumbers(one.revision, other.revision)
  );
}

function partsOf(version: string): Parts {
  const dash = version.lastIndexOf('-r');
  const [main = '', ...suffixes] = (dash < 0 ? version : version.slice(0, dash)).split('_', 20);
  const letter = /[a-z]$/.exec(main)?.[0] ?? '';
  return {
    numbers: (letter === '' ? main : main.slice(0, -1)).split('.', 50),
    letter,
    suffixes: suffixes.map(suffixOf),
    revision: dash < 0 ? '0' : version.slice(dash + 2),
  };
}

function suffixOf(suffix: string): readonly [number, string] {
  const [, word = '', number] = /^([a-z]*)(\d*)/.exec(suffix) ?? [];
  const before = BEFORE.indexOf(word);
  return [before >= 0 ? before - BEFORE.length : AFTER.indexOf(word) + 1, number || '0'];
}

/** A number after the first that starts with 0 is compared as text, as a fraction. */
function compareLists(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const [one, other] = [a[at], b[at]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    const isFraction = at > 0 && (one.startsWith('0') || other.startsWith('0'));
    const difference = isFraction ? (one === other ? 0 : one < other ? -1 : 1) : compareNumbers(one, other);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareSuffixes(a: Parts['suffixes'], b: Parts['suffixes']): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const [rank, number] = a[at] ?? [0, '0'];
    const [otherRank, otherNumber] = b[at] ?? [0, '0'];
    const difference = rank - otherRank || compareNumbers(number, otherNumber);
    if (difference !== 0) return difference;
  }
  return 0;
}
