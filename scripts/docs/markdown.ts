import { type Field, meaningOf, typeWords } from './schema-words.ts';

/** A cell of a table: one line, in which a bar does not end the cell. */
const cell = (text: string): string => text.replaceAll('\n', ' ').replaceAll('|', '\\|');

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n');

const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

/** The place of a tool's input fields: always the same, so it needs no column. */
export const ARGUMENTS = 'arguments';

/** The fields of an input or a shape; the names of shapes are links to their headings. */
export function fieldTable(fields: readonly Field[]): string {
  const withPlace = fields.some(({ place }) => place !== undefined && place !== ARGUMENTS);
  const rows = fields.map((field) => [
    `\`${field.name}\`${field.place && field.required ? ' (required)' : ''}`,
    ...(withPlace ? [field.place ?? ''] : []),
    typeWords(field.schema)
      .map((word) => (typeof word === 'string' ? word : `[${word.shape}](#${word.shape.toLowerCase()})`))
      .join(''),
    meaningOf(field),
  ]);
  return table(['Field', ...(withPlace ? ['In'] : []), 'Type', 'Meaning'], rows);
}
