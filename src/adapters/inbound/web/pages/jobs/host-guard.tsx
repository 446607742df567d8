import type { JobResult } from '../../../../../domain/jobs/job.ts';
import { DataTable } from '../../components/data-table.tsx';
import { size } from '../../components/size.ts';

type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;
const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const WHAT: Readonly<Record<string, string>> = {
  unit: 'Unit failed',
  port: 'Port is closed',
  check: 'Check fails',
};

/** What a guarded package update saves, and what got worse. */
export function HostGuard({ result }: { readonly result: JobResult }) {
  const { guard } = result;
  if (!isRow(guard)) return null;
  const worse = Array.isArray(guard['worse']) ? guard['worse'].filter(isRow) : null;
  return (
    <>
      {worse === null ? null : <h3>Compared with before</h3>}
      {worse?.length === 0 ? <p>Nothing is worse than before.</p> : null}
      {worse !== null && worse.length > 0 ? (
        <DataTable
          rows={worse}
          columns={[
            { head: 'What', cell: ({ kind }) => WHAT[String(kind)] ?? String(kind) },
            { head: 'Name', kind: 'code', cell: ({ name }) => String(name) },
            {
              head: 'Detail',
              kind: 'text',
              cell: ({ detail }) => (typeof detail === 'string' && detail !== '' ? detail : '–'),
            },
          ]}
        />
      ) : null}
      <h3>Guard</h3>
      <dl class="facts">
        {factsOf(guard).map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </>
  );
}

function factsOf(guard: Row): readonly (readonly [string, string])[] {
  const { saved } = guard;
  const copy = isRow(saved)
    ? `${String(saved['path'])} (${size(Number(saved['bytes']))})`
    : textsOf(guard['saves']).join(', ');
  const failed = textsOf(guard['failed_before']).join('; ');
  return [
    ['Copy on the server', copy],
    ['Backups before', textsOf(guard['backups']).join(', ') || 'no source covers it'],
    ['Checks', textsOf(guard['checks']).join('; ') || 'none'],
    ...(failed === '' ? [] : [['Failed before already', failed] as const]),
    ['Observed for', `${Number(guard['observe_minutes'])} min`],
  ];
}
