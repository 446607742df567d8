import { oneLine } from '../../../domain/base/one-line.ts';
import { localTimes } from './local-time.ts';

const GAP = '  ';
const WIDEST_CELL = 60;
const MAX_SENTENCES = 2_000;

export type Cell = string | number | null;

/**
 * Aligned columns under a heading; numbers to the right. An unknown cell is a dash. `last`: sentences in the last
 * column are not truncated if they are the point of the table.
 */
export function table(
  heading: readonly string[],
  rows: readonly (readonly Cell[])[],
  { last = 'cut' }: { readonly last?: 'cut' | 'whole' } = {},
): string {
  const widest = (column: number): number =>
    last === 'whole' && column === heading.length - 1 ? MAX_SENTENCES : WIDEST_CELL;
  const cells = [heading, ...rows].map((row) => row.map((cell, column) => textOf(cell, widest(column))));
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => lengthOf(row[column] ?? ''))));
  const lines = cells.map((row, index) =>
    row
      .map((cell, column) => {
        const blanks = ' '.repeat((widths[column] ?? 0) - lengthOf(cell));
        return index > 0 && typeof rows[index - 1]?.[column] === 'number' ? blanks + cell : cell + blanks;
      })
      .join(GAP)
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** `name: value` lines, the values in one column. */
export function properties(rows: readonly (readonly [name: string, value: Cell])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 1;
  return rows
    .map(([name, value]) => `${`${name}:`.padEnd(width)} ${value === null || value === '' ? '-' : value}\n`)
    .join('');
}

const textOf = (cell: Cell, widest: number): string =>
  cell === null || cell === '' ? '-' : oneLine(localTimes(String(cell)), widest);

/** Characters, not UTF-16 units. */
const lengthOf = (text: string): number => Array.from(text).length;
