import type { Actor } from '../../domain/access/actor.ts';
import { DAY, type Instant } from '../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import type { ChangeKind, HostChange } from '../../domain/fleet/host-state.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from './get-server.ts';
import { visibleIds } from './list-servers.ts';

export interface HostChangeQuery extends PageRequest {
  readonly serverId?: number | undefined;
  readonly kind?: ChangeKind | undefined;
  /** Part of the name of what changed. */
  readonly q?: string | undefined;
  /** Default: a day ago. */
  readonly since?: Instant | undefined;
  readonly before?: Instant | undefined;
}

/** What changed on the hosts that the caller may see, from the database; contacts no host. */
export class ListHostChanges extends UseCase<'servers' | 'hostChanges' | 'clock' | 'jobs.list'> {
  /** Newest first. Throws `server_not_found`. */
  async execute(
    actor: Actor,
    { serverId, kind, q, since, before, ...page }: HostChangeQuery,
  ): Promise<Page<HostChange>> {
    actor.require('read');
    if (serverId !== undefined) await existingServer(this.deps.servers, actor, serverId);
    return this.deps.hostChanges.list(
      {
        serverIds: serverId === undefined ? visibleIds(actor) : [serverId],
        since: since ?? this.deps.clock.now() - DAY,
        ...(before === undefined ? {} : { before }),
        ...(kind === undefined ? {} : { kind }),
        ...(q ? { q } : {}),
      },
      page,
    );
  }

  /**
   * The newest jobs that were requested in the same period, at most `limit`, whatever `kind` and `q`. Throws
   * `server_not_found`.
   */
  async jobs(
    actor: Actor,
    { serverId, since, before }: Pick<HostChangeQuery, 'serverId' | 'since' | 'before'>,
    limit: number,
  ): Promise<Page<Job>> {
    actor.require('read');
    if (serverId !== undefined) await existingServer(this.deps.servers, actor, serverId);
    const filter = {
      serverIds: visibleIds(actor),
      ...(serverId === undefined ? {} : { serverId }),
      since: since ?? this.deps.clock.now() - DAY,
      ...(before === undefined ? {} : { before }),
    };
    return this.deps.jobs.list(filter, { limit, offset: 0 });
  }
}
