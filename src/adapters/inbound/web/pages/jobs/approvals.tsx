import type { ApprovalPlans } from '../../../../../application/jobs/approval-plans.ts';
import type { ApproveRequest, RefuseRequest } from '../../../../../application/jobs/decide-approval.ts';
import type {
  ApprovalDetail,
  GetApproval,
  ListApprovals,
} from '../../../../../application/jobs/list-approvals.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { covers } from '../../../../../domain/access/role.ts';
import { APPROVAL_STATES, type Approval, approvalNotFound } from '../../../../../domain/jobs/approval.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { Chips } from '../../components/filter-bar.tsx';
import { FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { By } from '../../components/origin.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { Ago } from '../../components/time.tsx';
import { submit } from '../../form-state.ts';
import { page, part, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { Fact } from '../fleet/fact.tsx';
import { ApprovalStatus, Decision, Until } from './approval.tsx';
import { DecideForm, PlanPart, Subject } from './approval-page.tsx';
import { ReasonGiven } from './reason-given.tsx';

export interface ApprovalDeps {
  readonly listApprovals: Pick<ListApprovals, 'execute'>;
  readonly getApproval: Pick<GetApproval, 'execute' | 'ofJob'>;
  readonly approvalPlans: Pick<ApprovalPlans, 'execute'>;
  readonly approveRequest: Pick<ApproveRequest, 'execute'>;
  readonly refuseRequest: Pick<RefuseRequest, 'execute'>;
}

const PATH = '/approvals';
const ROWS = 50;

/** Requests of agents, and the reviewer's decision. */
export function approvalRoutes(deps: ApprovalDeps): readonly WebRoute[] {
  const decide =
    (work: (visit: SignedInVisit, id: number) => Promise<string>) =>
    (visit: SignedInVisit): Promise<WebReply> => {
      const id = approvalId(visit.params['id']);
      return submit(
        visit.form,
        async () => {
          return redirect(await work(visit, id));
        },
        (state) => onePage(deps, visit, id, state, state.problems.length > 0 ? 422 : 409),
      );
    };
  return [
    ...listRoutes(PATH, 'viewer', (visit) => listPage(deps, visit)),
    {
      method: 'GET',
      path: `${PATH}/:id`,
      needs: 'viewer',
      handle: (visit) => onePage(deps, visit, approvalId(visit.params['id']), NEW_FORM),
    },
    {
      method: 'GET',
      path: `/live${PATH}/:id`,
      needs: 'viewer',
      byItself: true,
      handle: async ({ visitor, params }) => {
        const found = await deps.getApproval.execute(visitor.actor, approvalId(params['id']));
        return part(<PlanPart found={found} mayDecide={mayDecide(visitor.actor)} />);
      },
    },
    {
      method: 'POST',
      path: `${PATH}/:id/approve`,
      needs: 'operator',
      handle: decide(async ({ visitor, form }, id) => {
        const { jobId, batchId } = await deps.approveRequest.execute(visitor.actor, id, {
          note: form.get('note') ?? '',
          ...planIn(form),
          withoutPlan: form.get('without_plan') === 'yes',
        });
        return jobId === null ? `/batches/${batchId}` : `/jobs/${jobId}`;
      }),
    },
    {
      method: 'POST',
      path: `${PATH}/:id/refuse`,
      needs: 'operator',
      handle: decide(async ({ visitor, form }, id) => {
        await deps.refuseRequest.execute(visitor.actor, id, { note: form.get('note') ?? '' });
        return `${PATH}/${id}`;
      }),
    },
    {
      method: 'POST',
      path: `${PATH}/:id/plan`,
      needs: 'operator',
      handle: decide(async ({ visitor }, id) => {
        await deps.approvalPlans.execute(visitor.actor, id);
        return `${PATH}/${id}`;
      }),
    },
  ];
}

const mayDecide = ({ role }: Actor): boolean => role !== null && covers(role, 'operator');

/** The dry run that the page showed: there may be a newer one. */
function planIn(form: URLSearchParams): { readonly planId?: number } {
  const raw = form.get('plan_id') ?? '';
  return /^[1-9]\d{0,14}$/.test(raw) ? { planId: Number(raw) } : {};
}

function approvalId(raw: string | undefined): number {
  if (raw !== undefined && /^[1-9]\d{0,14}$/.test(raw)) return Number(raw);
  throw approvalNotFound(Number.NaN);
}

async function listPage(deps: ApprovalDeps, { visitor, query, now }: SignedInVisit) {
  const asked = query.get('state') ?? 'waiting';
  const state = APPROVAL_STATES.find((each) => each === asked);
  const found = await deps.listApprovals.execute(visitor.actor, {
    ...(state ? { state } : {}),
    limit: ROWS,
    offset: offsetOf(query),
  });
  return {
    ...page(
      'approvals',
      'Approvals',
      <div class="filter-bar">
        <Chips
          name="state"
          options={[...APPROVAL_STATES, 'all'].map((value) => ({
            value: value === 'waiting' ? '' : value,
            label: titled(value),
          }))}
          path={PATH}
          query={query}
        />
      </div>,
    ),
    list: (
      <ApprovalRows
        approvals={found.items}
        now={now}
        paging={{ found, path: PATH, query }}
        empty={
          state === 'waiting'
            ? 'No requests. Jobs of tokens that need approval appear here.'
            : 'There is nothing here.'
        }
      />
    ),
  };
}

const titled = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

const ApprovalRows = ({ approvals, now, empty, paging }: ApprovalRowsProps) => (
  <DataTable
    rows={approvals}
    keyOf={({ id }) => id}
    empty={empty}
    paging={paging}
    columns={[
      {
        head: 'Request',
        cell: ({ id, jobType }) => (
          <a href={`${PATH}/${id}`}>
            {id} {jobTitle(jobType)}
          </a>
        ),
      },
      { head: 'On', cell: (approval) => <Subject approval={approval} /> },
      { head: 'Requested by', cell: ({ requester }) => <By label={requester.label} /> },
      { head: 'Since', cell: ({ createdAt }) => <Ago at={createdAt} now={now} /> },
      {
        head: 'Until',
        phone: 'label',
        cell: (approval) => (approval.state === 'waiting' ? <Until approval={approval} now={now} /> : '–'),
      },
      { head: 'State', kind: 'state', cell: ({ state }) => <ApprovalStatus state={state} /> },
      { head: 'Decided', kind: 'text', cell: (approval) => <Decision approval={approval} now={now} /> },
    ]}
  />
);

interface ApprovalRowsProps {
  readonly approvals: readonly Approval[];
  readonly now: number;
  readonly empty: string;
  readonly paging: TablePaging;
}

async function onePage(
  deps: ApprovalDeps,
  { visitor, now }: SignedInVisit,
  id: number,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const found = await deps.getApproval.execute(visitor.actor, id);
  const { approval, job } = found;
  const { requester } = approval;
  const body = (
    <>
      <Facts found={found} now={now} />
      <ReasonGiven reason={job?.reason ?? null} by={nameOf(requester)} />
      <PlanPart found={found} mayDecide={mayDecide(visitor.actor)} />
      {approval.state === 'waiting' && mayDecide(visitor.actor) ? (
        <DecideForm found={found} state={state} />
      ) : (
        <FormFault state={state} />
      )}
    </>
  );
  const sub =
    approval.state === 'waiting' ? (
      <>
        Starts only after approval; expires <Until approval={approval} now={now} />
      </>
    ) : (
      <Decision approval={approval} now={now} />
    );
  const header = { status: <ApprovalStatus state={approval.state} />, sub };
  return { ...page('approvals', `${jobTitle(approval.jobType)}: ${approval.subject}`, body, status), header };
}

/** `agent` for `token:agent`: what kind it is stands beside it. */
const nameOf = ({ kind, name }: Approval['requester']): string =>
  kind === 'token' ? `the agent ${name}` : name;

function Facts({ found, now }: { readonly found: ApprovalDetail; readonly now: number }) {
  const { approval, job, batch } = found;
  const { requester } = approval;
  const params = job?.params ?? batch?.params;
  const asked = [
    params?.sourceFilter,
    params?.service,
    params?.osSteps?.join(', '),
    params?.dryRun ? 'dry run only' : null,
  ].filter(Boolean);
  return (
    <dl class="tiles">
      <Fact name="On">
        <Subject approval={approval} />
      </Fact>
      <Fact name="Requested by">
        <By label={requester.label} />
        {requester.address === null ? null : <span class="quiet"> from {requester.address}</span>}
      </Fact>
      <Fact name="Requested">
        <Ago at={approval.createdAt} now={now} />
      </Fact>
      {approval.state === 'waiting' ? (
        <Fact name="Expires">
          <Until approval={approval} now={now} />
        </Fact>
      ) : null}
      <Fact name={job ? 'Job' : 'Batch'}>
        {job ? <a href={`/jobs/${job.id}`}>{job.id}</a> : approval.batchId}
        {asked.length === 0 ? null : `: ${asked.join('; ')}`}
      </Fact>
    </dl>
  );
}
