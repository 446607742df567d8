/** Lines around a change that are shown with it, as `diff -u` does. */
const CONTEXT = 3;
/** The rest of a longer difference is counted. */
const MAX_LINES = 2_000;
/**
 * Two differing blocks are compared line by line up to this many pairs of lines; beyond that one replaces the other.
 */
const MAX_PAIRS = 4_000_000;

interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** A unified diff of two texts without file names; empty if they are equal. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return '';
  const [from, to] = [linesOf(before), linesOf(after)];
  let same = 0;
  while (same < from.length && same < to.length && from[same] === to[same]) same += 1;
  let tail = 0;
  const most = Math.min(from.length, to.length) - same;
  while (tail < most && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail += 1;
  const kept = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: ' ', text }));
  const lines = [
    ...kept(from.slice(0, same)),
    ...changes(from.slice(same, from.length - tail), to.slice(same, to.length - tail)),
    ...kept(from.slice(from.length - tail)),
  ];
  return shortened(hunks(lines));
}

/** The final line end counts: a text without one has a different last line. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

/** By the longest common subsequence. */
function changes(from: readonly string[], to: readonly string[]): DiffLine[] {
  const width = to.length + 1;
  if (from.length * to.length > MAX_PAIRS) return [...signed('-', from), ...signed('+', to)];
  const longest = new Uint32Array((from.length + 1) * width);
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = from.length - 1; row >= 0; row -= 1) {
    for (let column = to.length - 1; column >= 0; column -= 1) {
      longest[row * width + column] =
        from[row] === to[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < from.length && column < to.length) {
    if (from[row] === to[column]) {
      lines.push({ sign: ' ', text: from[row] ?? '' });
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      lines.push({ sign: '-', text: from[row] ?? '' });
      row += 1;
    } else {
      lines.push({ sign: '+', text: to[column] ?? '' });
      column += 1;
    }
  }
  return [...lines, ...signed('-', from.slice(row)), ...signed('+', to.slice(column))];
}

const signed = (sign: '-' | '+', texts: readonly string[]): DiffLine[] =>
  texts.map((text) => ({ sign, text }));

/** Changes with their context lines; changes close to each other share a hunk. */
function hunks(lines: readonly DiffLine[]): string[] {
  const shown: string[] = [];
  let [from, to] = [1, 1];
  let next = 0;
  while (next < lines.length) {
    const first = lines.findIndex(({ sign }, index) => index >= next && sign !== ' ');
    if (first === -1) break;
    const start = Math.max(next, first - CONTEXT);
    [from, to] = [from + start - next, to + start - next];
    let end = first + 1;
    for (let at = end; at < lines.length && at <= end + 2 * CONTEXT; at += 1) {
      if (lines[at]?.sign !== ' ') end = at + 1;
    }
    const hunk = lines.slice(start, Math.min(lines.length, end + CONTEXT));
    const [removed, added] = [
      hunk.filter(({ sign }) => sign !== '+').length,
      hunk.filter(({ sign }) => sign !== '-').length,
    ];
    shown.push(`@@ -${range(from, removed)} +${range(to, added)} @@`);
    shown.push(...hunk.map(({ sign, text }) => `${sign}${text}`));
    [from, to] = [from + removed, to + added];
    next = start + hunk.length;
  }
  return shown;
}

/** https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html: an empty range names the line before. */
const range = (first: number, count: number): string =>
  count === 1 ? String(first) : `${count === 0 ? first - 1 : first},${count}`;

function shortened(lines: readonly string[]): string {
  const shown = lines.slice(0, MAX_LINES);
  if (lines.length > shown.length) shown.push(`… and ${lines.length - shown.length} more lines`);
  return `${shown.join('\n')}\n`;
}
