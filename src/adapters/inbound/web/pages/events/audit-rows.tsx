import type { Instant } from '../../../../../domain/base/instant.ts';
import type { AuditEntry } from '../../../../../domain/events/audit-entry.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { By } from '../../components/origin.tsx';
import { Status } from '../../components/status.tsx';
import { Ago, exactly } from '../../components/time.tsx';
import { actionTitle, detailName, detailValue, objectTitle } from './audit-words.ts';

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
        cell: ({ actorKind, actorName, address }) => (
          <>
            <By label={/^(?:user|token)$/.test(actorKind) ? `${actorKind}:${actorName}` : actorName} />
            {address === null ? null : <span class="quiet"> from {address}</span>}
          </>
        ),
      },
      { head: 'What', cell: ({ action }) => <span title={action}>{actionTitle(action)}</span> },
      { head: 'To', cell: ({ object }) => <Target object={object} /> },
      {
        head: 'Outcome',
        kind: 'state',
        cell: ({ outcome }) => <Status tone={outcome === 'done' ? 'good' : 'bad'}>{words(outcome)}</Status>,
      },
      { head: 'Details', kind: 'text', phone: 'hide', cell: ({ detail }) => textOf(detail) },
    ]}
  />
);

const words = (code: string): string => code.replaceAll('_', ' ');

function Target({ object }: { readonly object: string }) {
  const { text, href } = objectTitle(object);
  return href === null ? <>{text}</> : <a href={href}>{text}</a>;
}

interface AuditRowsProps {
  readonly entries: readonly (AuditEntry & { readonly id: number })[];
  readonly now: Instant;
  /** Shown if there are no entries. */
  readonly nothing: string;
  readonly paging?: TablePaging;
}

/** The given parameters, without the names of absent ones. */
function textOf(value: unknown, name = ''): string {
  if (typeof value === 'number' && TIME.test(name)) return exactly(value);
  if (Array.isArray(value)) return value.map((each) => inner(each)).join(' ');
  if (typeof value !== 'object' || value === null) return detailValue(String(value));
  return Object.entries(value)
    .filter(([, each]) => !isNothing(each))
    .map(([key, each]) => `${detailName(key)}: ${inner(each, key)}`)
    .join(', ');
}

const TIME = /^until$|At$/;

const inner = (value: unknown, name?: string): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? `(${textOf(value)})`
    : textOf(value, name);

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);
