import type { ApprovalDetail } from '../../../../../application/jobs/list-approvals.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { Approval } from '../../../../../domain/jobs/approval.ts';
import { isTerminal, type Job } from '../../../../../domain/jobs/job.ts';
import { isShownFirst } from '../../../../../domain/jobs/job-types.ts';
import { Field, FormFault, type FormState } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { JobState, Status } from '../../components/status.tsx';
import { Ago, LocalTimes } from '../../components/time.tsx';
import { StandingFault } from './approval-standing.tsx';
import { ChangePart } from './change-part.tsx';
import { JobResultView } from './job-result.tsx';
import { planExpiry } from './plan-actions.tsx';

/** The server, or the hosts of a batch by their number. */
export const Subject = ({ approval }: { readonly approval: Approval }) =>
  approval.serverId === null ? (
    <>{approval.subject}</>
  ) : (
    <a href={`/servers/${approval.serverId}`}>{approval.subject}</a>
  );

const needsPlan = ({ job }: ApprovalDetail): boolean => job !== null && isShownFirst(job.jobType, job.params);

interface PlanProps {
  readonly found: ApprovalDetail;
  readonly mayDecide: boolean;
  readonly now: Instant;
  /** Changes that inventories found on the server after the dry run; `null`: unknown. */
  readonly changesSince: number | null;
}

/** What would be done: the dry run, or the hosts of a batch. Refreshes while the dry run is running. */
export function PlanPart({ found, mayDecide, now, changesSince }: PlanProps) {
  const { approval, plan, hosts, batch } = found;
  if (approval.change !== null) return <ChangePart preview={found.preview} mayDecide={mayDecide} />;
  if (batch) {
    const { planBatchId } = batch.params;
    return (
      <section id="plan">
        <h2>Hosts</h2>
        <p class="quiet">
          One decision applies to all of them; at most {batch.bounds.maxParallel} at a time
          {batch.bounds.canary > 0 ? `, ${batch.bounds.canary} first` : ''}.{' '}
          {planBatchId === undefined ? (
            'A batch that waits for approval has no dry run: start a separate dry run to see what would change.'
          ) : (
            <>
              Each does exactly its dry run in <a href={`/batches/${planBatchId}`}>batch {planBatchId}</a>, or
              nothing.
            </>
          )}
        </p>
        <ul class="hosts">
          {hosts?.items.map((host) => (
            <li key={host.serverId}>
              <a href={`/servers/${host.serverId}`}>{host.serverName}</a>
              {host.detail === null ? null : (
                <span class="quiet">
                  {' '}
                  <LocalTimes text={host.detail} />
                </span>
              )}
            </li>
          ))}
        </ul>
        {hosts && hosts.total > hosts.items.length ? (
          <p class="quiet">and {hosts.total - hosts.items.length} more</p>
        ) : null}
      </section>
    );
  }
  if (!needsPlan(found) && plan === null) {
    return (
      <section id="plan">
        <p class="quiet">This changes nothing on the server, so it has no dry run.</p>
      </section>
    );
  }
  const going = plan !== null && !isTerminal(plan.status);
  const live = going
    ? { 'hx-get': `/live/approvals/${approval.id}`, 'hx-trigger': 'every 2s', 'hx-swap': 'outerHTML' }
    : {};
  return (
    <section id="plan" {...live}>
      <div class="row">
        <h2>Dry run</h2>
        {plan === null ? null : <PlanState {...{ plan, now }} changes={going ? null : changesSince} />}
        {approval.state === 'waiting' && mayDecide && !going ? (
          <form method="post" action={`/approvals/${approval.id}/plan`}>
            <button type="submit" class="quiet small">
              <Icon name="refresh-cw" /> {plan === null ? 'Start dry run' : 'New dry run'}
            </button>
          </form>
        ) : null}
      </div>
      {plan === null ? (
        <p class="quiet">
          Drover could not do a dry run when the job was requested, because another job was running.
        </p>
      ) : (
        <DryRun plan={plan} lines={found.planLog} />
      )}
      {approval.state === 'waiting' && mayDecide && found.standing.rule.fourEyes ? (
        <p class="quiet">If you start a dry run, someone else has to approve this request.</p>
      ) : null}
    </section>
  );
}

interface PlanStateProps extends Pick<PlanProps, 'now'> {
  readonly plan: Job;
  /** As `changesSince`; `null` also while it runs. */
  readonly changes: number | null;
}

/** Whether the dry run can be approved: it may have failed, be too old, or the last inventories found changes since. Applying checks that again. */
function PlanState({ plan, now, changes }: PlanStateProps) {
  const expiry = planExpiry(plan);
  return (
    <>
      <JobState status={plan.status} />
      {expiry !== null && expiry <= now ? <Status tone="care">expired</Status> : null}
      <span class="quiet">
        <a href={`/jobs/${plan.id}`}>Job {plan.id}</a>,{' '}
        <Ago at={plan.finishedAt ?? plan.createdAt} now={now} />
        {changes === 0 ? ', server unchanged since' : null}
      </span>
      {changes ? (
        <a href={`/changes?server=${plan.serverId}`}>
          <Status tone="care">{`${count(changes, 'change')} since`}</Status>
        </a>
      ) : null}
    </>
  );
}

function DryRun({ plan, lines }: { readonly plan: Job; readonly lines: readonly string[] }) {
  return (
    <>
      {plan.result === null ? (
        <p>
          <LocalTimes text={plan.error?.detail ?? plan.summary ?? plan.current} />
        </p>
      ) : null}
      <JobResultView job={plan} heading={false} />
      {plan.result !== null || lines.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <pre class="log" tabIndex={0} role="region" aria-label="Log of the dry run">
          {lines.join('\n')}
        </pre>
      )}
    </>
  );
}

/** One note for both buttons. Always in sight: it stays at the bottom of the window. */
export function DecideForm({ found, state }: { readonly found: ApprovalDetail; readonly state: FormState }) {
  const {
    approval,
    plan,
    standing: { fault },
  } = found;
  const at = `/approvals/${approval.id}`;
  return (
    <form method="post" action={`${at}/approve`} class="decide" aria-label="Decide">
      {/* Enter in the note decides nothing, unless a key chose the button. */}
      <button type="submit" disabled hidden />
      <FormFault state={state} />
      {fault === null ? null : <StandingFault fault={fault} />}
      {plan === null ? null : <input type="hidden" name="plan_id" value={plan.id} />}
      <Field
        state={state}
        name="note"
        label="Note"
        isBare
        required={false}
        placeholder={approval.requester.kind === 'token' ? 'Note to the agent (optional)' : 'Note (optional)'}
      />
      <div class="row">
        <button
          type="submit"
          class="danger quiet"
          formaction={`${at}/refuse`}
          data-key="D"
          data-ask="Note: Enter declines"
        >
          Decline <kbd aria-hidden="true">Shift D</kbd>
        </button>
        {fault === null ? (
          <button type="submit" data-key="A" data-ask="Note: Enter approves">
            <Icon name="check" /> {plan === null ? 'Approve' : 'Approve this plan'}{' '}
            <kbd aria-hidden="true">Shift A</kbd>
          </button>
        ) : null}
        {fault === null && needsPlan(found) ? (
          <Menu
            id="approve-more"
            label="Other ways to approve"
            button="quiet icon"
            face={<Icon name="ellipsis" />}
          >
            <button type="submit" name="without_plan" value="yes">
              Approve, and allow changes beyond this plan
            </button>
          </Menu>
        ) : null}
      </div>
    </form>
  );
}
