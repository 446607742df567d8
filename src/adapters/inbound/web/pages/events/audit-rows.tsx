import { type Instant, toMinute } from '../../../../../domain/base/instant.ts';
import { capital } from '../../../../../domain/base/spans.ts';
import type { AuditEntry } from '../../../../../domain/events/audit-entry.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { By } from '../../components/origin.tsx';
import { Status } from '../../components/status.tsx';
import { Ago, LocalTimes } from '../../components/time.tsx';
import { inOrder, phraseOf } from './audit-phrases.ts';
import {
  actionTitle,
  detailTitle,
  detailValue,
  objectTitle,
  type ServerNames,
  triedTitle,
  type UserNames,
} from './audit-words.ts';

/** Audit entries as a table. */
export const AuditRows = ({ entries, now, nothing, paging, servers, users = NO_USERS }: AuditRowsProps) => (
  <DataTable
    rows={entries}
    keyOf={({ id }) => id}
    empty={nothing}
    paging={paging}
    columns={[
      {
        head: 'Action',
        cell: (entry) => (
          <span title={entry.action}>{triedTitle(entry, users) ?? actionTitle(entry.action)}</span>
        ),
      },
      { head: 'Object', cell: (entry) => <Target {...{ entry, servers, users }} /> },
      {
        head: 'Who',
        cell: ({ address, ...by }) => (
          <>
            <Actor {...by} />
            {address === null ? null : <span class="quiet"> from {address}</span>}
          </>
        ),
      },
      // Almost all are done: only what is not is marked.
      entries.some(({ outcome }) => outcome !== 'done') && {
        head: 'Outcome',
        kind: 'state',
        cell: ({ outcome }) => (outcome === 'done' ? null : <Status tone="bad">{words(outcome)}</Status>),
      },
      {
        head: 'Details',
        kind: 'rest',
        phone: 'line',
        cell: ({ object, detail }) => (
          <Details text={capital(textOf(withoutNamed(object, detail), servers))} />
        ),
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

const NO_USERS: UserNames = new Map();

const words = (code: string): string => code.replaceAll('_', ' ');

function Target({
  entry: { object, detail },
  servers,
  users,
}: {
  readonly entry: Pick<AuditEntry, 'object' | 'detail'>;
  readonly servers: ServerNames;
  readonly users: UserNames;
}) {
  const { text, href } = objectTitle(object, servers, detail, users);
  return href === null ? <>{text}</> : <a href={href}>{text}</a>;
}

interface AuditRowsProps {
  readonly entries: readonly (AuditEntry & { readonly id: number })[];
  readonly now: Instant;
  /** Of the servers that entries name. */
  readonly servers: ServerNames;
  /** Users by their objects, such as `user:1`, as far as they are known. */
  readonly users?: UserNames;
  /** Shown if there are no entries. */
  readonly nothing: string;
  readonly paging?: TablePaging;
}

/** The given parameters, without the names of absent ones. */
function textOf(value: unknown, servers: ServerNames, name = ''): string {
  if (typeof value === 'number' && TIME.test(name)) return toMinute(value);
  if (Array.isArray(value)) return value.map((each) => inner(each, servers)).join(', ');
  if (typeof value !== 'object' || value === null) return detailValue(String(value));
  return inOrder(
    Object.entries(withParams(value)).filter(([key, each]) => !isNothing(each) && !isUsual(key, each)),
  )
    .map(
      ([key, each]) =>
        phraseOf(key, each, servers) ??
        (FOLDED.has(key) && isObject(each)
          ? textOf(each, servers)
          : detailTitle(key, each, inner(each, servers, key), servers)),
    )
    .reduce((text, part) => `${text}${text === '' ? '' : part.startsWith('on ') ? ' ' : ', '}${part}`, '');
}

/** The details that the object's name has already. */
const NAMED: Readonly<Record<string, string>> = { notification: 'title', mute: 'kind' };

function withoutNamed(object: string, detail: unknown): unknown {
  const named = NAMED[object.split(':')[0] ?? ''];
  if (named === undefined || !isObject(detail)) return detail;
  return Object.fromEntries(Object.entries(detail).filter(([key]) => key !== named));
}

const TIME = /^until$|At$/;

/** The parts of these are details themselves. */
const FOLDED: ReadonlySet<string> = new Set(['change', 'changes', 'facts']);

/** A real run is the usual one. */
const isUsual = (key: string, value: unknown): boolean => key === 'dryRun' && value === false;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const inner = (value: unknown, servers: ServerNames, name?: string): string =>
  value === false
    ? 'no'
    : isObject(value)
      ? textOf(withoutZeros(value), servers)
      : textOf(value, servers, name);

/** The parameters of a job are details of its request, each once. */
const withParams = ({ params, ...others }: { readonly params?: unknown }): object =>
  typeof params === 'object' && !Array.isArray(params) ? { ...others, ...params } : { ...others, params };

/** Of counts, those that say something. */
const withoutZeros = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== 0));

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
