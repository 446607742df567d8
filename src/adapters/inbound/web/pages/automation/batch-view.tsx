import {
  type Batch,
  type BatchMember,
  isUnfinished,
  MEMBER_STATUSES,
  totalOf,
} from '../../../../../domain/automation/batch.ts';
import { type OrderWait, waitText } from '../../../../../domain/automation/order-step.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { capital, count, duration } from '../../../../../domain/base/spans.ts';
import { selectorText } from '../../../../../domain/fleet/host-selector.ts';
import type { JobResult } from '../../../../../domain/jobs/job.ts';
import {
  isFinal,
  type JobType,
  jobTitle,
  needsWindow,
  REPEATABLE_JOB_TYPES,
} from '../../../../../domain/jobs/job-types.ts';
import { Chips } from '../../components/filter-bar.tsx';
import { Choices, Field, type FormState, NEW_FORM } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { By } from '../../components/origin.tsx';
import { Paging } from '../../components/paging.tsx';
import { toneOfMany } from '../../components/status.tsx';
import { Ago, LocalTimes } from '../../components/time.tsx';
import { Fact } from '../fleet/fact.tsx';
import { wordsOf } from '../jobs/job-words.ts';
import { chipsOf, isUnchanged, PlanChips } from '../jobs/plan-summary.tsx';
import { Cells, Members, PLAIN } from './batch-members.tsx';
import { BatchState, memberText, progressText, Shares } from './batch-rows.tsx';
import { boundsText } from './selector-fields.tsx';

export interface BatchViewProps {
  readonly batch: Batch;
  readonly members: Page<BatchMember>;
  readonly waits: readonly OrderWait[];
  /** Failed servers, which a new batch can repeat. */
  readonly failed: readonly BatchMember[];
  /** What each dry run found, by its job. */
  readonly plans: ReadonlyMap<number, string>;
  /** Of the first servers whose dry run succeeded; null: there is no dry run to apply. */
  readonly sum: { readonly servers: number; readonly plans: readonly JobResult[] } | null;
  /** Of the servers that it selects. */
  readonly names: ReadonlyMap<number, string>;
  readonly now: Instant;
  readonly mayAct: boolean;
  readonly mayCancel: boolean;
  readonly query: URLSearchParams;
  /** The refused confirmation text. */
  readonly state?: FormState;
}

/** A batch's state: the summary, then its hosts. It refreshes automatically while it runs. */
export function BatchView(props: BatchViewProps) {
  const { batch, members, waits, plans, names, now, mayAct, mayCancel, query, state = NEW_FORM } = props;
  const { counts, bounds } = batch;
  const path = `/batches/${batch.id}`;
  const total = totalOf(counts);
  const runs = isUnfinished(batch.status);
  const again = query.size === 0 ? '' : `?${query}`;
  const live = runs
    ? { 'hx-get': `/live${path}${again}`, 'hx-trigger': 'every 2s', 'hx-swap': 'outerHTML' }
    : {};
  const isWhole = query.get('members') === null;
  return (
    <div id="batch" class="stack" {...live}>
      <Verdict {...props} />
      <section class="card progress-card" aria-label="Progress">
        <p class="row">
          <BatchState batch={batch} />
          <strong>{progressText(batch)}</strong>
          <span class="quiet">
            {runs && batch.cancelRequestedAt !== null ? 'Stopping. ' : ''}
            {batch.finishedAt === null ? null : `took ${duration(batch.finishedAt - batch.createdAt)}`}
          </span>
          {mayCancel && runs ? <Cancel batch={batch} /> : null}
        </p>
        <Shares counts={counts} />
        {waits.map((wait) => (
          <p key={wait.policy}>
            <LocalTimes text={waitText(wait)} />
          </p>
        ))}
        <dl class="line-facts">
          <Fact name="Target">{selectorText(batch.selector, names)}</Fact>
          <Fact name="Limits">{boundsText(bounds)}</Fact>
          <Fact name="Requested">
            <Ago at={batch.createdAt} now={now} /> by <By label={batch.requester.label} />
          </Fact>
        </dl>
      </section>
      {mayAct ? <Apply {...props} state={state} /> : null}
      <section class="card" aria-label="Servers">
        <header>
          <h2>Servers</h2>
          <Chips
            name="members"
            path={path}
            query={query}
            options={[
              { value: '', label: 'All', count: total },
              ...MEMBER_STATUSES.map((status) => ({
                value: status,
                label: capital(memberText(status)),
                count: counts[status],
              })),
            ]}
          />
        </header>
        {isWhole ? <Cells members={members} batch={batch} /> : null}
        <Members
          members={
            isWhole && plans.size === 0
              ? members.items.filter(({ status }) => !PLAIN.includes(status))
              : members.items
          }
          plans={plans}
          isWhole={isWhole}
          batch={batch}
        />
      </section>
      <Paging found={members} path={path} query={query} />
    </div>
  );
}

/** What went wrong, and what to do about it. */
function Verdict({ batch, failed, mayAct }: BatchViewProps) {
  const { counts, status, stopReason, jobType } = batch;
  if (isUnfinished(status) || (failed.length === 0 && stopReason === null)) return null;
  const left = counts.left_out > 0 ? ` ${count(counts.left_out, 'server')} had no turn.` : '';
  const names = failed.slice(0, NAMED).map(({ serverName }) => serverName);
  const more = counts.failed - names.length;
  const tone = toneOfMany(counts.failed, totalOf(counts)) === 'bad' ? 'bad' : 'care';
  const ids = new URLSearchParams([
    ['type', jobType],
    ...failed.map(({ serverId }): [string, string] => ['ids', String(serverId)]),
  ]);
  return (
    <div class={`banner ${tone}`}>
      <Icon name={tone === 'bad' ? 'circle-alert' : 'triangle-alert'} />
      <div>
        <strong>
          {counts.failed > 0
            ? `${counts.failed} of ${count(totalOf(counts), 'server')} failed: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
            : 'The batch stopped.'}
        </strong>
        <p>
          {stopReason === null ? null : <LocalTimes text={stopReason} />}
          {left}
        </p>
      </div>
      {mayAct && failed.length > 0 && isRepeatable(jobType) ? (
        <a class="button quiet small" href={`/batches/new?${ids}`}>
          Try these again…
        </a>
      ) : null}
    </div>
  );
}

const NAMED = 5;
const isRepeatable = (type: JobType): boolean => REPEATABLE_JOB_TYPES.includes(type);

const Cancel = ({ batch }: Pick<BatchViewProps, 'batch'>) =>
  batch.cancelRequestedAt === null ? (
    <form method="post" action={`/batches/${batch.id}/cancel`}>
      <button type="submit" class="danger small">
        Cancel this batch
      </button>
    </form>
  ) : null;

/** After a dry run: the same for real. */
function Apply({
  batch,
  names,
  sum,
  state,
}: Pick<BatchViewProps, 'batch' | 'names' | 'sum'> & { readonly state: FormState }) {
  const path = `/batches/${batch.id}`;
  if (isUnfinished(batch.status)) return null;
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
      {sum === null ? null : <Sum counts={batch.counts} {...sum} />}
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
        <button
          type="submit"
          class={isFinal(batch.jobType) ? 'danger solid' : undefined}
          data-needs-name={isFinal(batch.jobType) ? totalOf(batch.counts) : undefined}
        >
          Start batch
        </button>
      </p>
    </form>
  );
}

/** What starting the batch amounts to, and the servers that it does not change. */
function Sum({ counts, servers, plans }: Pick<Batch, 'counts'> & NonNullable<BatchViewProps['sum']>) {
  const unchanged = plans.filter(isUnchanged).length;
  const unplanned = totalOf(counts) - counts.success;
  return (
    <>
      <PlanChips
        chips={[
          ...chipsOf(plans),
          ...(unchanged > 0 ? [['good', `${count(unchanged, 'server')} unchanged`] as const] : []),
          ...(unplanned > 0
            ? [['care', `${count(unplanned, 'server')} without a plan: skipped`] as const]
            : []),
        ]}
      />
      {servers < counts.success ? <p class="quiet">The sum is of the first {servers} servers.</p> : null}
    </>
  );
}
