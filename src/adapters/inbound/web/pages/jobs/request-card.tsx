import type { ApprovalDetail } from '../../../../../application/jobs/list-approvals.ts';
import { type Approval, approvalTitle } from '../../../../../domain/jobs/approval.ts';
import { FormFault, type FormState } from '../../components/form.tsx';
import { By } from '../../components/origin.tsx';
import { Ago } from '../../components/time.tsx';
import type { SignedInVisit } from '../../route.ts';
import { Fact } from '../fleet/fact.tsx';
import { mayOperate } from '../fleet/remedy.tsx';
import { ApprovalStatus, Until } from './approval.tsx';
import { DecideForm, PlanPart, Subject } from './approval-page.tsx';
import { StandingFacts } from './approval-standing.tsx';
import { ChangeFacts } from './change-part.tsx';
import { ReasonGiven } from './reason-given.tsx';

interface RequestProps {
  readonly found: ApprovalDetail;
  readonly visit: SignedInVisit;
  readonly state: FormState;
  readonly changesSince: number | null;
  /** The page is about the queue, and does not name the request. */
  readonly titled?: boolean;
}

/** Who wants what and why, what it would change, and the decision. */
export function RequestCard({
  found,
  visit: { visitor, now },
  state,
  changesSince,
  titled = false,
}: RequestProps) {
  const { approval, job } = found;
  const decides = mayOperate(visitor.actor, approval.serverId ?? 'all servers');
  return (
    <section class="card request" id="request" aria-label="Request">
      {titled ? (
        <header>
          <h2>
            {approvalTitle(approval)}: <Subject approval={approval} />
          </h2>
          <span class="acts">
            <ApprovalStatus state={approval.state} />
          </span>
        </header>
      ) : null}
      <div class="body">
        <Facts found={found} now={now} />
        <ReasonGiven reason={job?.reason ?? null} by={nameOf(approval.requester)} />
        {job !== null && job.reason === null && approval.requester.kind === 'token' ? (
          <p class="quiet">The agent gave no reason.</p>
        ) : null}
        <PlanPart found={found} mayDecide={decides} now={now} changesSince={changesSince} />
      </div>
      {approval.state === 'waiting' && decides ? (
        <DecideForm found={found} state={state} />
      ) : (
        <FormFault state={state} />
      )}
    </section>
  );
}

/** `agent` for `token:agent`: what kind it is stands beside it. */
const nameOf = ({ kind, name }: Approval['requester']): string =>
  kind === 'token' ? `the agent ${name}` : name;

function Facts({ found, now }: { readonly found: ApprovalDetail; readonly now: number }) {
  const { approval, job, batch, standing } = found;
  const { requester } = approval;
  const params = job?.params ?? batch?.params;
  const asked = [
    params?.sourceFilter,
    params?.service,
    params?.osSteps?.join(', '),
    params?.dryRun ? 'dry run only' : null,
  ].filter(Boolean);
  return (
    <dl class="kv">
      <Fact name="Requested by">
        <By label={requester.label} />
      </Fact>
      {requester.address === null ? null : (
        <Fact name="From">
          <span class="mono">{requester.address}</span>
        </Fact>
      )}
      <Fact name="Requested">
        <Ago at={approval.createdAt} now={now} />
      </Fact>
      {approval.state === 'waiting' ? (
        <Fact name="Expires">
          <Until approval={approval} now={now} />
        </Fact>
      ) : null}
      <StandingFacts standing={standing} waiting={approval.state === 'waiting'} now={now} />
      {approval.serverId === null ? null : (
        <Fact name="Server">
          <Subject approval={approval} />
        </Fact>
      )}
      {approval.change === null ? (
        <Fact name={job ? 'Job' : 'Batch'}>
          {job ? <a href={`/jobs/${job.id}`}>{job.id}</a> : approval.batchId}
          {asked.length === 0 ? null : `: ${asked.join('; ')}`}
        </Fact>
      ) : (
        <ChangeFacts change={approval.change} />
      )}
    </dl>
  );
}
