import type { AuditEntry } from '../../../domain/audit-entry.ts';
import type { Instant } from '../../../domain/instant.ts';
import { Status } from './status.tsx';
import { Ago } from './time.tsx';

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

const detailOf = ({ detail }: AuditEntry): string =>
  Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
