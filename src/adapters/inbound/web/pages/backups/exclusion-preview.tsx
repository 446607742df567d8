import type { Amount, ExclusionPreview } from '../../../../../domain/backups/exclusion-preview.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { DataTable } from '../../components/data-table.tsx';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';

/** What patterns exclude from a source, and its size. */
export function ExclusionPreviewSection({ preview }: { readonly preview: ExclusionPreview }) {
  const { kept, leftOut, patterns, largest, unreadable, isComplete } = preview;
  return (
    <section id="preview" aria-labelledby="preview-title">
      <h2 id="preview-title">Excluded paths</h2>
      <p class="verdict" role="status">
        {words(leftOut)} would be excluded, {words(kept)} kept. Nothing was saved.
      </p>
      {isComplete ? null : (
        <p class="notice">The source is too large to count completely: the numbers are minimums.</p>
      )}
      {unreadable > 0 ? (
        <p class="notice">{count(unreadable, 'path')} could not be read; a backup would fail.</p>
      ) : null}
      {patterns.length > 0 ? (
        <AmountTable
          head="Pattern"
          rows={patterns.map(({ pattern, matches, ...amount }) => ({
            name: pattern,
            amount: matches === 0 ? null : amount,
          }))}
        />
      ) : null}
      {largest.length > 0 ? (
        <AmountTable
          head="Largest excluded"
          rows={largest.map(({ path, isDirectory, ...amount }) => ({
            name: `${path.text}${isDirectory ? '/' : ''}`,
            amount,
          }))}
        />
      ) : null}
    </section>
  );
}

const words = ({ files, bytes }: Amount): string => `${count(files, 'file')} (${size(bytes)})`;

interface AmountTableProps {
  readonly head: string;
  /** `null`: no file matches it. */
  readonly rows: readonly { readonly name: string; readonly amount: Amount | null }[];
}

const AmountTable = ({ head, rows }: AmountTableProps) => (
  <DataTable
    rows={rows}
    columns={[
      { head, kind: 'code', cell: ({ name }) => name },
      {
        head: 'Files',
        kind: 'number',
        cell: ({ amount }) => amount?.files ?? <Status tone="care">no match</Status>,
      },
      { head: 'Size', kind: 'number', cell: ({ amount }) => size(amount?.bytes ?? null) },
    ]}
  />
);
