/** More changes than this share of a name's length make it another name. */
const FARTHEST_SHARE = 0.4;

/** The name with the smallest edit distance; `null` if none is near. */
export function nearest(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let fewest = Math.floor(name.length * FARTHEST_SHARE) + 1;
  for (const candidate of known) {
    const changes = editDistance(name, candidate);
    if (changes < fewest) [best, fewest] = [candidate, changes];
  }
  return best;
}

/** Levenshtein's distance, one row of its table at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
