import { Actor } from '../../domain/access/actor.ts';
import { type DeviceTerms, fleetDevice, serverDevice } from '../../domain/events/home-assistant/devices.ts';
import { fleetState, MAX_LISTED_ALERTS, serverState } from '../../domain/events/home-assistant/states.ts';
import {
  configTopic,
  fleetId,
  fleetStateTopic,
  serverId,
  serverStateTopic,
  type Topics,
} from '../../domain/events/home-assistant/topics.ts';
import type { Server } from '../../domain/fleet/server.ts';
import type { Job, JobStatus } from '../../domain/jobs/job.ts';
import { UseCase } from '../base/use-case.ts';
import type { ListServers } from '../fleet/list-servers.ts';

/** More are too many for the pages of Home Assistant. */
const MAX_SERVERS = 500;
const PAGE = 100;
const SHOWN_STATUSES = ['running', 'pending', 'awaiting_approval'] as const satisfies readonly JobStatus[];

/** What a channel shows. */
export interface ShownFleet {
  readonly topics: Topics;
  /** Only servers with this tag; `null`: all. */
  readonly tag: string | null;
  readonly hasCommands: boolean;
}

/** The devices of Home Assistant and their state. */
export class DescribeToHomeAssistant extends UseCase<
  'version' | 'jobs.list' | 'notifications.list' | 'approvals.countWaiting' | 'bodies.link',
  { readonly listServers: Pick<ListServers, 'execute' | 'counts' | 'needsOf'> }
> {
  readonly #actor = Actor.system('home-assistant');

  /** The message of each topic: devices before their states. */
  async execute({ topics, tag, hasCommands }: ShownFleet): Promise<ReadonlyMap<string, string>> {
    const { listServers, approvals, bodies, version } = this.deps;
    const servers = await this.#servers(tag);
    const [counts, alerts, waiting, jobs] = await Promise.all([
      listServers.counts(this.#actor, tag === null ? {} : { tag }),
      this.#alerts(tag === null ? null : servers.map(({ id }) => id)),
      approvals.countWaiting(),
      this.#jobs(),
    ]);
    const terms = (id: number | null): DeviceTerms => ({
      topics,
      version,
      hasCommands,
      link: bodies.link({ serverId: id, jobId: null }),
    });
    const messages: (readonly [string, object])[] = [
      [configTopic(topics, fleetId(topics)), fleetDevice(terms(null))],
      [fleetStateTopic(topics), fleetState({ counts, alerts, approvals: waiting })],
      ...servers.flatMap((server): (readonly [string, object])[] => [
        [configTopic(topics, serverId(topics, server.id)), serverDevice(server, terms(server.id))],
        [
          serverStateTopic(topics, server.id),
          serverState(server, { needs: listServers.needsOf(server), jobs: jobs.get(server.id) ?? [] }),
        ],
      ]),
    ];
    return new Map(messages.map(([topic, message]) => [topic, JSON.stringify(message)]));
  }

  async #servers(tag: string | null): Promise<readonly Server[]> {
    const found: Server[] = [];
    for (let offset = 0; offset < MAX_SERVERS; offset += PAGE) {
      const page = { limit: PAGE, offset, uncounted: true, ...(tag === null ? {} : { tag }) } as const;
      const { items } = await this.deps.listServers.execute(this.#actor, page);
      found.push(...items);
      if (items.length < PAGE) break;
    }
    return found;
  }

  async #alerts(serverIds: readonly number[] | null) {
    const open = { states: ['open', 'acknowledged'], muted: false, serverIds } as const;
    const page = { limit: MAX_LISTED_ALERTS, offset: 0 };
    const { items, total } = await this.deps.notifications.list(open, page, {
      by: 'severity',
      descending: true,
    });
    return { total, worst: items };
  }

  /** Those that run, before those that wait, the oldest first, by server. */
  async #jobs(): Promise<ReadonlyMap<number, readonly Job[]>> {
    const page = { limit: PAGE, offset: 0, uncounted: true } as const;
    const found = await Promise.all(SHOWN_STATUSES.map((status) => this.deps.jobs.list({ status }, page)));
    const byServer = new Map<number, Job[]>();
    for (const job of found.flatMap(({ items }) => items.toReversed()))
      byServer.set(job.serverId, [...(byServer.get(job.serverId) ?? []), job]);
    return byServer;
  }
}
