import { type Instant, toMinute } from '../../../../../domain/base/instant.ts';
import type { AuditEntry } from '../../../../../domain/events/audit-entry.ts';
import { jobName } from '../../../../../domain/jobs/job-types.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

/** Audit entries as a table. */
export const AuditRows = ({ entries, now, nothing, paging }: AuditRowsProps) => (
  <DataTable
    rows={entries}
    keyOf={({ id }) => id}
    empty={nothing}
    paging={paging}
    columns={[
      { head: 'When', kind: 'time', cell: ({ at }) => <Ago at={at} now={now} /> },
      {
        head: 'Who',
        cell: ({ actorName, address }) => (
          <>
            {actorName}
            {address === null ? null : <span class="quiet"> from {address}</span>}
          </>
        ),
      },
      { head: 'What', kind: 'code', cell: ({ action }) => action },
      { head: 'To', kind: 'code', cell: ({ object }) => object },
      {
        head: 'Outcome',
        kind: 'state',
        cell: ({ outcome }) => <Status tone={outcome === 'done' ? 'good' : 'bad'}>{outcome}</Status>,
      },
      { head: 'Details', kind: 'code', cell: ({ detail }) => textOf(detail) },
    ]}
  />
);

interface AuditRowsProps {
  readonly entries: readonly (AuditEntry & { readonly id: number })[];
  readonly now: Instant;
  /** Shown if there are no entries. */
  readonly nothing: string;
  readonly paging?: TablePaging;
}

/** The given parameters, without the names of absent ones. */
function textOf(value: unknown, name = ''): string {
  if (typeof value === 'number' && TIME.test(name)) return toMinute(value);
  if (name === 'jobType') return jobName(String(value));
  if (Array.isArray(value)) return value.map((each) => inner(each)).join(' ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .filter(([, each]) => !isNothing(each))
    .map(([key, each]) => `${key}: ${inner(each, key)}`)
    .join(', ');
}

const TIME = /^until$|At$/;

const inner = (value: unknown, name?: string): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? `(${textOf(value)})`
    : textOf(value, name);

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);
