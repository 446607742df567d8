export type CsvValue = string | number | boolean | object | null;

/** A line of a CSV file (RFC 4180). */
export const csvRow = (values: readonly CsvValue[]): string => `${values.map(cell).join(',')}\r\n`;

/**
 * Always in quotes. Values that a spreadsheet would take for a formula get an apostrophe in front, as OWASP advises:
 * names come from others.
 */
function cell(value: CsvValue): string {
  const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : `${value}`;
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
