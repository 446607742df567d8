import type { SourceRetention } from '../../../../../application/backups/preview-retention.ts';
import type { RetentionPolicy } from '../../../../../domain/backups/retention-policy.ts';
import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Field, FormFault, type FormState } from '../../components/form.tsx';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { Ago, UtcDays } from '../../components/time.tsx';
import { SnapshotName } from './snapshot-rows.tsx';

/** Snapshots of a source, before you ask for all of them. */
const FIRST_ROWS = 10;
/** Further snapshots are only counted. */
const MAX_ROWS = 200;

/** `3 latest, 7 days, 4 weeks`. */
export function policyWords(policy: RetentionPolicy): string {
  const rules: readonly (readonly [number, string])[] = [
    [policy.keepLast, 'latest'],
    [policy.keepDaily, policy.keepDaily === 1 ? 'day' : 'days'],
    [policy.keepWeekly, policy.keepWeekly === 1 ? 'week' : 'weeks'],
    [policy.keepMonthly, policy.keepMonthly === 1 ? 'month' : 'months'],
    [policy.keepYearly, policy.keepYearly === 1 ? 'year' : 'years'],
  ];
  const named = rules.filter(([number]) => number > 0).map(([number, unit]) => `${number} ${unit}`);
  return named.join(', ') || 'the newest only';
}

interface RetentionPreviewProps {
  readonly sources: readonly SourceRetention[];
  readonly server: Server;
  readonly state: FormState;
  readonly now: Instant;
  readonly mayAct: boolean;
  /** Not only the first snapshots of each source. */
  readonly all: boolean;
}

/** What would be removed and kept, with the reason for each. */
export function RetentionPreview({ sources, server, state, now, mayAct, all }: RetentionPreviewProps) {
  const going = sources.reduce((sum, { decision }) => sum + decision.remove.length, 0);
  return (
    <>
      <p class="verdict">
        {going === 0
          ? 'Retention would remove nothing now.'
          : `Retention would remove ${count(going, 'snapshot')} now.`}
      </p>
      {sources.map(({ source, decision }) => (
        <section key={source.id} aria-labelledby={`source-${source.id}`}>
          <h2 id={`source-${source.id}`}>{source.name}</h2>
          <p class="quiet">Kept: {policyWords(source.retention)}.</p>
          <Decided
            snapshots={[...decision.remove, ...decision.keep]}
            {...{ decision, now }}
            max={all ? MAX_ROWS : FIRST_ROWS}
          />
        </section>
      ))}
      {!all && sources.some(({ decision: { remove, keep } }) => remove.length + keep.length > FIRST_ROWS) ? (
        <p>
          <a href={`/servers/${server.id}/backups/retention?all=1`}>Show all snapshots</a>
        </p>
      ) : null}
      {going > 0 && mayAct ? (
        <form method="post" action={`/servers/${server.id}/backups/retention`} class="column">
          <h2>Remove them now</h2>
          <FormFault state={state} />
          <p>
            Removed snapshots cannot be restored. The job applies the same rules to snapshots created until
            then.
          </p>
          <Field
            state={state}
            name="confirmation"
            label="Server name"
            help={
              <>
                To confirm, type <code>{server.name}</code>
              </>
            }
          />
          <button type="submit" class="danger" data-needs-name={server.name}>
            {`Remove ${count(going, 'snapshot')} of ${server.name}`}
          </button>
        </form>
      ) : null}
    </>
  );
}

interface DecidedProps {
  readonly snapshots: readonly Snapshot[];
  readonly decision: SourceRetention['decision'];
  readonly now: Instant;
  readonly max: number;
}

function Decided({ snapshots, decision, now, max }: DecidedProps) {
  const removed = new Set(decision.remove);
  return (
    <DataTable
      rows={snapshots}
      max={max}
      empty="No snapshots yet."
      columns={[
        { head: 'Snapshot', cell: (snapshot) => <SnapshotName snapshot={snapshot} /> },
        { head: 'Taken', cell: ({ startedAt }) => <Ago at={startedAt} now={now} /> },
        { head: 'Size', kind: 'number', cell: ({ totalBytes }) => size(totalBytes) },
        {
          head: 'Result',
          kind: 'state',
          cell: (snapshot) =>
            removed.has(snapshot) ? <Status tone="care">removed</Status> : <Status tone="good">stays</Status>,
        },
        {
          head: 'Reason',
          kind: 'text',
          cell: ({ name }) => <UtcDays text={(decision.reasons[name] ?? []).join('; ')} />,
        },
      ]}
    />
  );
}
