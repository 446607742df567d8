/** As dpkg compares (deb-version(7)): negative, 0 or positive. */
export function compareDpkg(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)];
  return (
    compareNumbers(one.epoch, other.epoch) ||
    compareParts(one.upstream, other.upstream) ||
    compareParts(one.revision, other.revision)
  );
}

interface Parts {
  readonly epoch: string;
  readonly upstream: string;
  readonly revision: string;
}

function partsOf(version: string): Parts {
  const colon = version.indexOf(':');
  const rest = version.slice(colon + 1);
  const hyphen = rest.lastIndexOf('-');
  return {
    epoch: colon < 0 ? '0' : version.slice(0, colon),
    upstream: hyphen < 0 ? rest : rest.slice(0, hyphen),
    revision: hyphen < 0 ? '' : rest.slice(hyphen + 1),
  };
}

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';

/** Numbers of any length, whose leading zeros do not count. */
export function compareNumbers(a: string, b: string): number {
  const [one, other] = [withoutZeros(a), withoutZeros(b)];
  if (one.length !== other.length) return one.length - other.length;
  return one === other ? 0 : one < other ? -1 : 1;
}

function withoutZeros(digits: string): string {
  let at = 0;
  while (at < digits.length - 1 && digits[at] === '0') at += 1;
  return digits.slice(at);
}

/** `~` sorts before the end, letters before all other characters. */
function weight(char: string | undefined): number {
  if (char === '~') return -1;
  if (char === undefined || isDigit(char)) return 0;
  const code = char.charCodeAt(0);
  return /[A-Za-z]/.test(char) ? code : code + 256;
}

function compareParts(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a[i])) || (j < b.length && !isDigit(b[j]))) {
      const difference = weight(a[i]) - weight(b[j]);
      if (difference !== 0) return difference;
      i += 1;
      j += 1;
    }
    const [from, start] = [i, j];
    while (isDigit(a[i])) i += 1;
    while (isDigit(b[j])) j += 1;
    const difference = compareNumbers(a.slice(from, i) || '0', b.slice(start, j) || '0');
    if (difference !== 0) return difference;
  }
  return 0;
}
