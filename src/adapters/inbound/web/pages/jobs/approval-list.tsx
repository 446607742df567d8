import type { ListApprovals } from '../../../../../application/jobs/list-approvals.ts';
import { APPROVAL_ORDERS, type ApprovalOrder } from '../../../../../domain/base/list-orders.ts';
import {
  APPROVAL_STATES,
  type Approval,
  type ApprovalState,
  approvalTitle,
} from '../../../../../domain/jobs/approval.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { Chips } from '../../components/filter-bar.tsx';
import { LiveList } from '../../components/list-page.tsx';
import { By } from '../../components/origin.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { type Sorting, sortingOf } from '../../components/sorting.ts';
import { Ago } from '../../components/time.tsx';
import { page, type SignedInVisit, type WebReply } from '../../route.ts';
import { ApprovalStatus, Decision, Until } from './approval.tsx';
import { Subject } from './approval-page.tsx';

export const PATH = '/approvals';
export const APPROVALS_SUB = 'Agents wait here before they change anything';
const ROWS = 50;

interface Deps {
  readonly listApprovals: Pick<ListApprovals, 'counts' | 'execute'>;
}

export const isQueue = ({ query }: SignedInVisit): boolean => (query.get('state') ?? 'waiting') === 'waiting';

export async function listPage(deps: Deps, visit: SignedInVisit): Promise<WebReply> {
  const body = (
    <>
      <StateChips query={visit.query} counts={await deps.listApprovals.counts(visit.visitor.actor)} />
      {await listPart(deps, visit)}
    </>
  );
  return { ...page('approvals', 'Approvals', body), header: { sub: APPROVALS_SUB } };
}

export async function listPart(deps: Deps, { visitor, query, now }: SignedInVisit) {
  const state = APPROVAL_STATES.find((each) => each === query.get('state'));
  const usual = { by: 'since', descending: true } as const;
  const sorting = sortingOf({ path: PATH, query, keys: APPROVAL_ORDERS, usual, largestFirst: ['since'] });
  const found = await deps.listApprovals.execute(visitor.actor, {
    ...(state ? { state } : {}),
    order: sorting.order,
    limit: ROWS,
    offset: offsetOf(query),
  });
  return (
    <LiveList path={PATH} query={query}>
      <ApprovalRows
        approvals={found.items}
        now={now}
        sorting={sorting}
        paging={{ found, path: PATH, query }}
        empty="No requests."
      />
    </LiveList>
  );
}

const STATES = [
  ['', 'Waiting', 'waiting'],
  ['approved', 'Approved', 'approved'],
  ['refused', 'Declined', 'refused'],
  ['expired', 'Expired', 'expired'],
  ['withdrawn', 'Withdrawn', 'withdrawn'],
] as const;

export const StateChips = ({
  query,
  counts,
}: {
  readonly query: URLSearchParams;
  readonly counts: ReadonlyMap<ApprovalState, number>;
}) => (
  <div class="filter-bar">
    <Chips
      name="state"
      options={[
        ...STATES.map(([value, label, state]) => ({
          value,
          label,
          count: counts.get(state) ?? 0,
          stays: state !== 'withdrawn',
        })),
        { value: 'all', label: 'All', count: [...counts.values()].reduce((sum, each) => sum + each, 0) },
      ]}
      path={PATH}
      query={query}
    />
  </div>
);

const ApprovalRows = ({ approvals, now, empty, sorting, paging }: ApprovalRowsProps) => (
  <DataTable
    rows={approvals}
    keyOf={({ id }) => id}
    empty={empty}
    paging={paging}
    columns={[
      {
        head: 'Request',
        cell: (approval) => (
          <a href={`${PATH}/${approval.id}`}>
            {approvalTitle(approval)} <span class="quiet serial">#{approval.id}</span>
          </a>
        ),
      },
      { head: 'Server', cell: (approval) => <Subject approval={approval} /> },
      { head: 'Requested by', cell: ({ requester }) => <By label={requester.label} /> },
      {
        head: 'Since',
        sort: sorting.sort('since'),
        cell: ({ createdAt }) => <Ago at={createdAt} now={now} />,
      },
      {
        head: 'Until',
        phone: 'label',
        cell: (approval) => (approval.state === 'waiting' ? <Until approval={approval} now={now} /> : '–'),
      },
      {
        head: 'State',
        kind: 'state',
        sort: sorting.sort('state'),
        cell: ({ state }) => <ApprovalStatus state={state} />,
      },
      { head: 'Decided', kind: 'text', cell: (approval) => <Decision approval={approval} now={now} /> },
    ]}
  />
);

interface ApprovalRowsProps {
  readonly approvals: readonly Approval[];
  readonly now: number;
  readonly empty: string;
  readonly sorting: Sorting<ApprovalOrder['by']>;
  readonly paging: TablePaging;
}
