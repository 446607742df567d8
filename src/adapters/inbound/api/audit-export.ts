import type { KeptEntry } from '../../../domain/events/audit-entry.ts';
import { csvRow } from './csv.ts';
import { type AuditView, auditView } from './views/audit-view.ts';

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const COLUMNS = [
  'id',
  'at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'address',
  'action',
  'object',
  'outcome',
  'detail',
] as const satisfies readonly (keyof AuditView)[];

/** Entries as text, one at a time, with back-pressure: nothing accumulates. */
export async function* exported(
  entries: AsyncIterable<KeptEntry>,
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${COLUMNS.join(',')}\r\n`;
  for await (const entry of entries) {
    const view = auditView(entry);
    yield format === 'jsonl' ? `${JSON.stringify(view)}\n` : csvRow(COLUMNS.map((name) => view[name]));
  }
}
