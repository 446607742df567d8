import { type Instant, toMinute } from '../../../../../domain/base/instant.ts';
import type { AuditEntry } from '../../../../../domain/events/audit-entry.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { By } from '../../components/origin.tsx';
import { Status } from '../../components/status.tsx';
import { Ago, LocalTimes } from '../../components/time.tsx';
import { actionTitle, detailTitle, detailValue, objectTitle, type ServerNames } from './audit-words.ts';

/** Audit entries as a table. */
export const AuditRows = ({ entries, now, nothing, paging, servers }: AuditRowsProps) => (
  <DataTable
    rows={entries}
    keyOf={({ id }) => id}
    empty={nothing}
    paging={paging}
    columns={[
      { head: 'Action', cell: ({ action }) => <span title={action}>{actionTitle(action)}</span> },
      { head: 'Object', cell: (entry) => <Target entry={entry} servers={servers} /> },
      {
        head: 'Who',
        cell: ({ address, ...by }) => (
          <>
            <Actor {...by} />
            {address === null ? null : <span class="quiet"> from {address}</span>}
          </>
        ),
      },
      {
        head: 'Outcome',
        kind: 'state',
        cell: ({ outcome }) => <Status tone={outcome === 'done' ? 'good' : 'bad'}>{words(outcome)}</Status>,
      },
      {
        head: 'Details',
        kind: 'rest',
        phone: 'hide',
        cell: ({ detail }) => <Details text={textOf(detail, servers)} />,
      },
      { head: 'When', kind: 'time', cell: ({ at }) => <Ago at={at} now={now} /> },
    ]}
  />
);

/** One line of it; all of it on hover, unless it has a time, which a tooltip would show in UTC. */
const Details = ({ text }: { readonly text: string }) => (
  <span title={text.includes(' UTC') ? undefined : text}>
    <LocalTimes text={text} />
  </span>
);

/** Who did it. */
export const Actor = ({ actorKind, actorName }: Pick<AuditEntry, 'actorKind' | 'actorName'>) => (
  <By label={/^(?:user|token)$/.test(actorKind) ? `${actorKind}:${actorName}` : actorName} />
);

const words = (code: string): string => code.replaceAll('_', ' ');

function Target({
  entry: { object, detail },
  servers,
}: {
  readonly entry: Pick<AuditEntry, 'object' | 'detail'>;
  readonly servers: ServerNames;
}) {
  const { text, href } = objectTitle(object, servers, detail);
  return href === null ? <>{text}</> : <a href={href}>{text}</a>;
}

interface AuditRowsProps {
  readonly entries: readonly (AuditEntry & { readonly id: number })[];
  readonly now: Instant;
  /** Of the servers that entries name. */
  readonly servers: ServerNames;
  /** Shown if there are no entries. */
  readonly nothing: string;
  readonly paging?: TablePaging;
}

/** The given parameters, without the names of absent ones. */
function textOf(value: unknown, servers: ServerNames, name = ''): string {
  if (typeof value === 'number' && TIME.test(name)) return toMinute(value);
  if (Array.isArray(value)) return value.map((each) => inner(each, servers)).join(', ');
  if (typeof value !== 'object' || value === null) return detailValue(String(value));
  return Object.entries(withParams(value))
    .filter(([, each]) => !isNothing(each))
    .map(([key, each]) => detailTitle(key, each, inner(each, servers, key), servers))
    .join(', ');
}

const TIME = /^until$|At$/;

const inner = (value: unknown, servers: ServerNames, name?: string): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? `(${textOf(withoutZeros(value), servers)})`
    : textOf(value, servers, name);

/** The parameters of a job are details of its request, each once. */
const withParams = ({ params, ...others }: { readonly params?: unknown }): object =>
  typeof params === 'object' && !Array.isArray(params) ? { ...others, ...params } : { ...others, params };

/** Of counts, those that say something. */
const withoutZeros = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== 0));

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
