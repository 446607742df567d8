import type { ListBatches } from '../../../../../application/automation/get-batch.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { BATCH_STATUSES, type BatchStatus } from '../../../../../domain/automation/batch.ts';
import { capital, count, grouped } from '../../../../../domain/base/spans.ts';
import { AddLink } from '../../components/add-link.tsx';
import { Chips } from '../../components/filter-bar.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { page, type SignedInVisit } from '../../route.ts';
import { namesIn } from '../../server-names.ts';
import { BatchRows, batchWord } from './batch-rows.tsx';

export interface BatchListDeps {
  readonly listBatches: Pick<ListBatches, 'execute' | 'counts'>;
  readonly listServers: Pick<ListServers, 'names'>;
}

export const BATCHES_PATH = '/batches';
const ROWS = 20;

/** Of `listRoutes`. */
export async function batchList(deps: BatchListDeps, { visitor: { actor }, query, now }: SignedInVisit) {
  const status = BATCH_STATUSES.find((each) => each === query.get('status'));
  const window = { limit: ROWS, offset: offsetOf(query) };
  const found = await deps.listBatches.execute(actor, { ...(status ? { status } : {}), ...window });
  const counts = await deps.listBatches.counts(actor);
  const all = BATCH_STATUSES.reduce((sum, each) => sum + counts[each], 0);
  const names = await namesIn(
    deps.listServers,
    actor,
    found.items.map(({ selector }) => selector),
  );
  return {
    ...page('jobs', 'Batches', null),
    header: {
      sub: all === 0 ? null : stateOf(all, counts),
      actions: actor.may('jobs', 'any server') ? (
        <AddLink href={`${BATCHES_PATH}/new`}>New batch</AddLink>
      ) : null,
    },
    list: (
      <>
        <div class="filter-bar">
          <Chips
            name="status"
            path={BATCHES_PATH}
            query={query}
            options={[
              { value: '', label: 'All', count: all },
              ...BATCH_STATUSES.map((value) => ({
                value,
                label: capital(batchWord(value)),
                count: counts[value],
              })),
            ]}
          />
        </div>
        <BatchRows
          batches={found.items}
          names={names}
          now={now}
          paging={{ found, path: BATCHES_PATH, query }}
          isFiltered={status !== undefined}
        />
      </>
    ),
  };
}

type Counts = Readonly<Record<BatchStatus, number>>;

/** The states that a summary names. */
const NAMED = ['running', 'awaiting_approval', 'failed', 'stopped'] as const;

/** Such as `66 batches · 1 running · 12 with failures`. */
const stateOf = (all: number, counts: Counts): string =>
  [
    count(all, 'batch', 'batches'),
    ...NAMED.filter((status) => counts[status] > 0).map(
      (status) => `${grouped(counts[status])} ${status === 'failed' ? 'with failures' : batchWord(status)}`,
    ),
  ].join(' · ');
