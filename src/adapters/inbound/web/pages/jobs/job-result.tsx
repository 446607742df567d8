import { count } from '../../../../../domain/base/spans.ts';
import type { Job, JobResult } from '../../../../../domain/jobs/job.ts';
import { DataTable } from '../../components/data-table.tsx';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { DumpRestore } from './dump-result.tsx';
import { GuardResult, ImageNews } from './guard-result.tsx';
import { HostGuard } from './host-guard.tsx';
import { JobChanges, MAX_ROWS } from './job-changes.tsx';
import { PlanSummary } from './plan-summary.tsx';

type Row = Readonly<Record<string, unknown>>;

const rowsAt = (result: JobResult | Row, name: string): readonly Row[] => {
  const found = result[name];
  if (!Array.isArray(found)) return [];
  return found.filter((each): each is Row => typeof each === 'object' && each !== null);
};
const listAt = (result: JobResult, name: string): readonly unknown[] => {
  const found = result[name];
  return Array.isArray(found) ? found : [];
};
const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '–';

/** What a job did, or what a dry run would do, for the reviewer. */
export function JobResultView({ job, heading = true }: { readonly job: Job; readonly heading?: boolean }) {
  const { result } = job;
  if (result === null) return null;
  const dry = job.params.dryRun;
  return (
    <>
      {heading ? <h2>{dry ? 'Plan' : 'Result'}</h2> : null}
      <PlanSummary result={result} />
      {listAt(result, 'no_longer').length + listAt(result, 'instead').length > 0 ? (
        <>
          <h3>Planned, but no longer possible</h3>
          <JobChanges changes={listAt(result, 'no_longer')} />
          <h3>Not planned, but needed now</h3>
          <JobChanges changes={listAt(result, 'instead')} />
        </>
      ) : (
        <Outcome job={job} result={result} />
      )}
      <ImageNews result={result} at={job.finishedAt ?? job.createdAt} />
      <GuardResult result={result} />
      <HostGuard result={result} />
      <Reasons title="Data not saved" rows={rowsAt(result, 'unguarded')} />
      <Reasons title="Skipped" rows={rowsAt(result, 'left_alone')} />
      <Reasons title="Kept back" rows={rowsAt(result, 'kept_back')} />
      <Notes result={result} />
      <details>
        <summary>Full result</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
        <pre class="log" tabIndex={0} role="region" aria-label="Full result">
          {JSON.stringify(result, shownOnly, 2)}
        </pre>
      </details>
    </>
  );
}

function Outcome({ job, result }: { readonly job: Job; readonly result: JobResult }) {
  if (job.jobType === 'retention') return <Retention result={result} dry={job.params.dryRun} />;
  if (job.jobType === 'dump_restore') return <DumpRestore result={result} />;
  if (job.jobType === 'host_reboot') return <Reboot result={result} dry={job.params.dryRun} />;
  if (Array.isArray(result['changes'])) return <JobChanges changes={listAt(result, 'changes')} />;
  const snapshots = rowsAt(result, 'snapshots');
  return snapshots.length > 0 ? <Snapshots snapshots={snapshots} /> : null;
}

function Retention({ result, dry }: { readonly result: JobResult; readonly dry: boolean }) {
  const sources = rowsAt(result, 'sources');
  if (sources.length === 0) return <p>No sources.</p>;
  return (
    <>
      {sources.map((source) => {
        const removed = rowsAt(source, 'removed');
        const kept = rowsAt(source, 'kept');
        return (
          <section key={text(source['source'])}>
            <h3>
              {text(source['source'])}{' '}
              <span class="quiet">
                {text(source['removed_count'])} {dry ? 'to remove' : 'removed'}, {text(source['kept_count'])}{' '}
                kept
              </span>
            </h3>
            {removed.length + kept.length === 0 ? (
              <p class="quiet">No snapshots.</p>
            ) : (
              <DataTable
                rows={[
                  ...removed.map((row) => ({ row, goes: true })),
                  ...kept.map((row) => ({ row, goes: false })),
                ]}
                max={MAX_ROWS}
                columns={[
                  { head: 'Snapshot', kind: 'code', cell: ({ row }) => text(row['name']) },
                  {
                    head: 'What',
                    kind: 'state',
                    cell: ({ goes }) => (
                      <Status tone={goes ? 'bad' : 'good'}>
                        {goes ? (dry ? 'would be removed' : 'removed') : 'kept'}
                      </Status>
                    ),
                  },
                  {
                    head: 'Reason',
                    kind: 'text',
                    cell: ({ row }) => wordsOf(row['reasons']) || 'no rule keeps it',
                  },
                ]}
              />
            )}
          </section>
        );
      })}
    </>
  );
}

function Reboot({ result, dry }: { readonly result: JobResult; readonly dry: boolean }) {
  if (!dry) {
    return <p>The server was back after {text(result['took_seconds'])} seconds, with a new boot ID.</p>;
  }
  const grace = Number(result['grace_seconds'] ?? 0);
  const days = Math.floor(Number(result['uptime_seconds'] ?? 0) / 86_400);
  return (
    <p>
      The server would restart{grace > 0 ? ` after ${grace} seconds` : ' immediately'}. Uptime:{' '}
      {count(days, 'day')}.{' '}
      {result['reboot_pending'] === true ? 'A reboot is required.' : 'No reboot is required.'} Everything on
      it stops, and starts again only if it is set to start automatically.
    </p>
  );
}

function Snapshots({ snapshots }: { readonly snapshots: readonly Row[] }) {
  return (
    <DataTable
      rows={snapshots}
      max={MAX_ROWS}
      columns={[
        { head: 'Source', cell: (row) => text(row['source']) },
        { head: 'Snapshot', kind: 'code', cell: (row) => text(row['name']) },
        { head: 'Files', kind: 'number', cell: (row) => text(row['files']) },
        {
          head: 'Size',
          kind: 'number',
          cell: (row) => size(Number(row['total_bytes'] ?? row['bytes'] ?? 0)),
        },
        { head: 'State', kind: 'state', cell: (row) => text(row['detail'] ?? row['outcome'] ?? 'taken') },
      ]}
    />
  );
}

function Reasons({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <DataTable
        rows={rows}
        max={MAX_ROWS}
        columns={[
          {
            head: 'What',
            kind: 'code',
            cell: (row) =>
              ['directory', 'service', 'name', 'version']
                .map((part) => ((row[part] ?? null) === null ? '' : text(row[part])))
                .join(' '),
          },
          { head: 'Reason', kind: 'text', cell: (row) => text(row['reason']) },
        ]}
      />
    </>
  );
}

function Notes({ result }: { readonly result: JobResult }) {
  const notes = listAt(result, 'notes').map(String);
  const held = listAt(result, 'held').map(heldName);
  if (notes.length + held.length === 0) return null;
  return (
    <ul>
      {notes.slice(0, MAX_ROWS).map((note) => (
        <li key={note}>{note}</li>
      ))}
      {held.length === 0 ? null : <li>Held packages, not changed: {held.join(', ')}.</li>}
    </ul>
  );
}

const heldName = (held: unknown): string =>
  typeof held === 'object' && held !== null && 'name' in held ? String(held.name) : String(held);

const wordsOf = (reasons: unknown): string => (Array.isArray(reasons) ? reasons.map(String).join('; ') : '');

/** Encrypted values mean nothing to users. */
const shownOnly = (name: string, value: unknown): unknown => (name.startsWith('sealed_') ? undefined : value);
