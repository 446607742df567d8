import {
  type Batch,
  type BatchMember,
  isUnfinished,
  MEMBER_STATUSES,
  totalOf,
} from '../../../../../domain/automation/batch.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { selectorText } from '../../../../../domain/fleet/host-selector.ts';
import { isFinal, jobTitle, needsWindow } from '../../../../../domain/jobs/job-types.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { Choices, Field, type FormState, NEW_FORM } from '../../components/form.tsx';
import { By } from '../../components/origin.tsx';
import { Ago } from '../../components/time.tsx';
import { Fact } from '../fleet/fact.tsx';
import { wordsOf } from '../jobs/job-words.ts';
import { BatchState, doneOf, MemberState } from './batch-rows.tsx';
import { boundsText } from './selector-fields.tsx';

interface BatchViewProps {
  readonly batch: Batch;
  readonly members: Page<BatchMember>;
  /** Of the servers that it selects. */
  readonly names: ReadonlyMap<number, string>;
  readonly now: Instant;
  readonly mayAct: boolean;
  readonly query: URLSearchParams;
  /** The refused confirmation text. */
  readonly state?: FormState;
}

/** A batch's state: the summary, then each of its hosts. It refreshes automatically while it runs. */
export function BatchView({ batch, members, names, now, mayAct, query, state = NEW_FORM }: BatchViewProps) {
  const { counts, bounds } = batch;
  const path = `/batches/${batch.id}`;
  const total = totalOf(counts);
  const runs = isUnfinished(batch.status);
  const again = query.size === 0 ? '' : `?${query}`;
  const live = runs
    ? { 'hx-get': `/live${path}${again}`, 'hx-trigger': 'every 2s', 'hx-swap': 'outerHTML' }
    : {};
  return (
    <div id="batch" {...live}>
      <p class="row">
        <BatchState status={batch.status} />
        <progress max={Math.max(total, 1)} value={doneOf(batch)} aria-label="Progress" /> {doneOf(batch)} of{' '}
        {total}
        <span class="quiet">
          {runs && batch.cancelRequestedAt !== null ? 'Stopping.' : ''} {batch.stopReason}
        </span>
      </p>
      <dl class="tiles">
        <Fact name="Servers">{selectorText(batch.selector, names)}</Fact>
        <Fact name="Bounds">{boundsText(bounds)}</Fact>
        <Fact name="Requested">
          <Ago at={batch.createdAt} now={now} /> by <By label={batch.requester.label} />
        </Fact>
      </dl>
      {mayAct ? <Actions batch={batch} names={names} state={state} /> : null}
      <h2>Servers</h2>
      <p class="row">
        <a href={path} aria-current={query.get('members') === null ? 'true' : undefined}>
          all {total}
        </a>
        {MEMBER_STATUSES.filter((status) => counts[status] > 0).map((status) => (
          <a
            key={status}
            href={`${path}?members=${status}`}
            aria-current={query.get('members') === status ? 'true' : undefined}
          >
            {counts[status]} {status.replace('_', ' ')}
          </a>
        ))}
      </p>
      <Members members={members.items} paging={{ found: members, path, query }} />
    </div>
  );
}

function Actions({
  batch,
  names,
  state,
}: Pick<BatchViewProps, 'batch' | 'names'> & { readonly state: FormState }) {
  const path = `/batches/${batch.id}`;
  if (isUnfinished(batch.status)) {
    return batch.cancelRequestedAt === null ? (
      <form method="post" action={`${path}/cancel`}>
        <button type="submit" class="danger">
          Cancel this batch
        </button>
      </form>
    ) : null;
  }
  if (!batch.params.dryRun || batch.counts.success === 0) return null;
  const title = jobTitle(batch.jobType);
  const { effect } = wordsOf(batch.jobType);
  return (
    <form method="post" action={`${path}/apply`} class="column plan" aria-label={title}>
      <p>
        <strong>
          {title} on {selectorText(batch.selector, names)}.
        </strong>{' '}
        {effect}{' '}
        <span class="quiet">
          Review the dry run of each server below. The batch uses the same servers and limits.
        </span>
      </p>
      <Choices
        state={state}
        name="what"
        legend="What each server does"
        type="radio"
        chosen={['exactly']}
        choices={[
          {
            value: 'exactly',
            label: 'Apply exactly the plan of each server, or nothing',
            help: 'A dry run is valid for one hour: servers that start later are skipped.',
          },
          { value: 'beyond', label: 'Allow changes beyond the plans' },
        ]}
      />
      {needsWindow(batch.jobType, false) ? (
        <label class="choice">
          <input type="checkbox" name="outside_window" value="yes" />
          <span>
            Ignore maintenance windows
            <span class="help">
              The audit log records it. Otherwise servers with a closed window are skipped.
            </span>
          </span>
        </label>
      ) : null}
      {isFinal(batch.jobType) ? (
        <Field
          state={state}
          name="count"
          label={`Type ${totalOf(batch.counts)}, the number of servers, to confirm`}
          help="This cannot be undone."
        />
      ) : null}
      <p class="actions">
        <button type="submit" class={effect === null ? undefined : 'danger solid'}>
          Start batch
        </button>
      </p>
    </form>
  );
}

interface MembersProps {
  readonly members: readonly BatchMember[];
  readonly paging: TablePaging;
}

const Members = ({ members, paging }: MembersProps) => (
  <DataTable
    rows={members}
    keyOf={({ serverId }) => serverId}
    empty="None."
    paging={paging}
    columns={[
      { head: 'Server', cell: (member) => <a href={`/servers/${member.serverId}`}>{member.serverName}</a> },
      { head: 'State', kind: 'state', cell: ({ status }) => <MemberState status={status} /> },
      {
        head: 'Job',
        cell: ({ jobId }) => (jobId === null ? '–' : <a href={`/jobs/${jobId}`}>job {jobId}</a>),
      },
      { head: 'Reason', kind: 'text', cell: ({ detail }) => detail },
    ]}
  />
);
