import type { Actor } from '../../domain/access/actor.ts';
import type { Instant } from '../../domain/base/instant.ts';
import type { JobOrder } from '../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import {
  ACTIVE_STATUSES,
  type Job,
  type JobResult,
  type JobStatus,
  type TerminalStatus,
} from '../../domain/jobs/job.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';
import { visibleIds } from '../fleet/list-servers.ts';
import type { Beside, JobFilter } from '../ports/jobs/job-store.ts';

export type JobSelection = Omit<JobQuery, 'limit' | 'offset' | 'order'>;

export interface JobQuery extends PageRequest {
  readonly serverId?: number | undefined;
  /** Only these. */
  readonly ids?: readonly number[] | undefined;
  readonly status?: JobStatus | undefined;
  readonly jobType?: JobType | undefined;
  readonly jobTypes?: readonly JobType[] | undefined;
  readonly activeOnly?: boolean | undefined;
  readonly requestedBy?: string | undefined;
  readonly scheduled?: boolean | undefined;
  readonly since?: Instant | undefined;
  readonly before?: Instant | undefined;
  readonly order?: JobOrder | undefined;
}

type Counted = 'all' | 'active' | 'awaiting_approval' | TerminalStatus;
export type JobCounts = Readonly<Record<Counted, number>>;

/** Jobs of the servers that the caller may see, newest first unless another order is asked for. */
export class ListJobs extends UseCase<'jobs' | 'servers'> {
  /** Throws `server_not_found` for a server that does not exist or that the caller may not see. */
  async execute(actor: Actor, query: JobQuery): Promise<Page<Job>> {
    return this.deps.jobs.list(await this.#filterOf(actor, query), query, query.order);
  }

  /** The jobs before and after one in such a list. Throws as `execute`. */
  async beside(actor: Actor, id: number, query: JobSelection): Promise<Beside> {
    return this.deps.jobs.beside(id, await this.#filterOf(actor, query));
  }

  /** The results of those of these jobs that the caller may see. */
  async results(actor: Actor, ids: readonly number[]): Promise<readonly JobResult[]> {
    actor.require('read');
    const found = await this.deps.jobs.results({ ids, serverIds: visibleIds(actor) });
    return found.flatMap(({ result }) => (result === null ? [] : [result]));
  }

  async #filterOf(actor: Actor, query: JobSelection): Promise<JobFilter> {
    actor.require('read');
    if (query.serverId !== undefined) await existingServer(this.deps.servers, actor, query.serverId);
    return {
      serverIds: visibleIds(actor),
      ...(query.serverId === undefined ? {} : { serverId: query.serverId }),
      ...(query.ids === undefined ? {} : { ids: query.ids }),
      ...(query.status === undefined ? {} : { status: query.status }),
      ...(query.jobType === undefined ? {} : { jobType: query.jobType }),
      ...(query.jobTypes === undefined ? {} : { jobTypes: query.jobTypes }),
      ...(query.requestedBy === undefined ? {} : { requestedBy: query.requestedBy }),
      ...(query.scheduled === undefined ? {} : { scheduled: query.scheduled }),
      ...(query.since === undefined ? {} : { since: query.since }),
      ...(query.before === undefined ? {} : { before: query.before }),
      activeOnly: query.activeOnly ?? false,
    };
  }

  /** How many jobs are in each state, of all servers that the caller may see or of one of them. Throws as `execute`. */
  async counts(actor: Actor, { serverId }: Pick<JobQuery, 'serverId'> = {}): Promise<JobCounts> {
    const { total } = await this.execute(actor, { serverId, limit: 1, offset: 0 });
    const few = await this.deps.jobs.countByStatus({
      serverIds: visibleIds(actor),
      ...(serverId === undefined ? {} : { serverId }),
    });
    const others = [...few.values()].reduce((sum, each) => sum + each, 0);
    const of = (status: JobStatus): number => few.get(status) ?? 0;
    return {
      all: total,
      active: ACTIVE_STATUSES.reduce((sum, status) => sum + of(status), 0),
      awaiting_approval: of('awaiting_approval'),
      failed: of('failed'),
      cancelled: of('cancelled'),
      // The total of a long history may be half a minute old.
      success: Math.max(0, total - others),
    };
  }
}
