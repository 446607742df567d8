import { compareNumbers } from './dpkg-version.ts';

/** As rpm compares (rpm-version(7)), with `epoch:version-release`: negative, 0 or positive. */
export function compareRpm(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)];
  return (
    compareNumbers(one.epoch, other.epoch) ||
    compareSegments(one.version, other.version) ||
    // A version without a release stands for all of its releases.
    (one.release === '' || other.release === '' ? 0 : compareSegments(one.release, other.release))
  );
}

function partsOf(evr: string) {
  const colon = evr.indexOf(':');
  const rest = evr.slice(colon + 1);
  const hyphen = rest.lastIndexOf('-');
  return {
    epoch: colon < 1 ? '0' : evr.slice(0, colon),
    version: hyphen < 0 ? rest : rest.slice(0, hyphen),
    release: hyphen < 0 ? '' : rest.slice(hyphen + 1),
  };
}

/** Digits, letters, and the two separators that count. */
const SEGMENTS = /\d+|[A-Za-z]+|~|\^/g;

function compareSegments(a: string, b: string): number {
  const [one, other] = [a.match(SEGMENTS) ?? [], b.match(SEGMENTS) ?? []];
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const difference = compareSegment(one[at], other[at]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** `~` sorts before the end and all else, `^` after the end and before all else. */
function compareSegment(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  for (const [mark, beforeEnd] of [
    ['~', true],
    ['^', false],
  ] as const) {
    if (a === mark) return !beforeEnd && b === undefined ? 1 : -1;
    if (b === mark) return !beforeEnd && a === undefined ? -1 : 1;
  }
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const [isNumber, isOtherNumber] = [/\d/.test(a), /\d/.test(b)];
  if (isNumber !== isOtherNumber) return isNumber ? 1 : -1;
  if (isNumber) return compareNumbers(a, b);
  return a < b ? -1 : 1;
}
