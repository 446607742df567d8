import { type Instant, toIso } from '../../../../../domain/base/instant.ts';
import type { AuditEntry } from '../../../../../domain/events/audit-entry.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

/** Who did what, as a table. */
export function AuditRows({
  entries,
  now,
  nothing,
}: {
  readonly entries: readonly (AuditEntry & { readonly id: number })[];
  readonly now: Instant;
  /** What is said where there is none. */
  readonly nothing: string;
}) {
  if (entries.length === 0) return <p class="quiet">{nothing}</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
            <th scope="col">To</th>
            <th scope="col">Outcome</th>
            <th scope="col">More</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td>
                <Ago at={entry.at} now={now} />
              </td>
              <td>
                {entry.actorName}
                {entry.address === null ? null : <span class="quiet"> from {entry.address}</span>}
              </td>
              <td class="mono">{entry.action}</td>
              <td class="mono">{entry.object}</td>
              <td>
                <Status tone={entry.outcome === 'done' ? 'good' : 'bad'}>{entry.outcome}</Status>
              </td>
              <td class="text mono">{detailOf(entry)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const detailOf = ({ detail }: AuditEntry): string => textOf(detail);

/** What was said, without the names of what was not. */
function textOf(value: unknown, name = ''): string {
  if (typeof value === 'number' && TIME.test(name)) return toIso(value);
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
