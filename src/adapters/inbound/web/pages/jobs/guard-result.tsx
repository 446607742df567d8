import type { JobResult } from '../../../../../domain/jobs/job.ts';
import { DataTable } from '../../components/data-table.tsx';
import { size } from '../../components/size.ts';

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (value: unknown): readonly Row[] =>
  Array.isArray(value) ? value.filter((each): each is Row => typeof each === 'object' && each !== null) : [];
const amount = (value: unknown): string => (typeof value === 'number' ? size(value) : '–');

/** What a dry run of an update with saved data says beyond its changes: the copy, the backups before it, the checks. */
export function GuardResult({ result }: { readonly result: JobResult }) {
  const guarded = rowsOf(result['guarded']).filter((each) => 'rollback' in each);
  if (guarded.length === 0) return null;
  return (
    <>
      <h3>Saved before the update</h3>
      <DataTable
        rows={guarded}
        columns={[
          { head: 'Project', kind: 'code', cell: ({ directory }) => String(directory) },
          { head: 'Copy', kind: 'number', cell: (row) => amount(row['copy_bytes']) },
          { head: 'Backups before', cell: (row) => rowsOf(row['backups']).map(backupText).join('; ') || '–' },
          { head: 'Checks', kind: 'code', cell: (row) => checksText(row['checks']) },
          { head: 'Observed', kind: 'number', cell: (row) => `${Number(row['observe_minutes'])} min` },
          { head: 'A rollback restores', cell: ({ rollback }) => String(rollback) },
        ]}
      />
    </>
  );
}

const checksText = (checks: unknown): string =>
  Array.isArray(checks) && checks.length > 0 ? checks.map(String).join('; ') : '–';

function backupText({ source, dumps, last_bytes: bytes, last_seconds: seconds }: Row): string {
  const names = Array.isArray(dumps) && dumps.length > 0 ? ` with dumps ${dumps.map(String).join(', ')}` : '';
  const last = typeof seconds === 'number' ? `last ${amount(bytes)} in ${seconds} s` : 'never backed up';
  return `${String(source)}${names} (${last})`;
}
