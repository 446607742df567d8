import type { Actor } from '../../domain/access/actor.ts';
import { outsideWindow } from '../../domain/automation/maintenance-window.ts';
import {
  heldBack,
  heldFromSchedules,
  type PatchPolicy,
  policyOf,
} from '../../domain/automation/patch-policy.ts';
import { delayOf, jitterOf, onlyServer, type Schedule } from '../../domain/automation/schedule.ts';
import { DomainError, type ErrorCode } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { switchedOff } from '../../domain/fleet/host-flag.ts';
import { MAX_HOSTS, selects, staysWithin } from '../../domain/fleet/host-selector.ts';
import type { Inventory } from '../../domain/fleet/inventory.ts';
import type { PackageChange } from '../../domain/fleet/package-change.ts';
import { upgradable } from '../../domain/fleet/pending-updates.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleIds } from '../fleet/list-servers.ts';
import { type HeldPackage, heldPackages } from '../fleet/package-holds.ts';
import type { SelectedServer } from '../ports/fleet/server-selection.ts';
import type { MaintenanceGate } from './maintenance-gate.ts';
import type { OrderedStart, OrderForecasts } from './order-forecasts.ts';

const UPDATE_TYPES = ['os_patch', 'container_patch'] as const;
type UpdateType = (typeof UPDATE_TYPES)[number];

/** The most servers of one page: as many inventories are read at once. */
export const MAX_PREVIEWED = 100;

/** The next update of a server by a schedule. */
export interface UpcomingUpdate {
  readonly jobType: UpdateType;
  readonly schedule: Pick<Schedule, 'id' | 'name'>;
  readonly at: Instant;
  /** Why the schedule will start nothing then; `null` if it will start the job. */
  readonly refusal: { readonly code: ErrorCode; readonly message: string } | null;
  /** Names with versions, or images; `null` if Drover has not read the server yet. */
  readonly installs: readonly string[] | null;
  readonly held: readonly Pick<HeldPackage, 'name' | 'reason'>[];
  /** Its place in the order of its policy; `null`: the policy has none. */
  readonly turn: UpdateTurn | null;
}

export interface UpdateTurn {
  /** From 1. */
  readonly ring: number;
  /** `null`: the servers that have no other ring's tag. */
  readonly ringTag: string | null;
  /** The servers of this schedule that start before it, and this one; `null`: it does not start. */
  readonly turn: number | null;
}

export interface ServerForecast {
  readonly server: Pick<Server, 'id' | 'name'>;
  readonly policy: Pick<PatchPolicy, 'id' | 'name'> | null;
  /** Empty: no schedule updates the server. */
  readonly updates: readonly UpcomingUpdate[];
}

export interface ComingUpdates {
  readonly page: Page<ServerForecast>;
  /** Servers that no schedule updates, by name. */
  readonly idle: readonly Pick<Server, 'id' | 'name'>[];
}

/** What schedules will update next on which server, and why not more, by what Drover knows now. */
export class PreviewUpdates extends UseCase<
  'servers' | 'inventories' | 'schedules' | 'policies' | 'selection',
  { readonly gate: Pick<MaintenanceGate, 'statesAt'>; readonly orderForecasts: Pick<OrderForecasts, 'of'> }
> {
  /** At most `MAX_PREVIEWED` servers, by name. Shows only schedules that the caller may see. */
  async execute(actor: Actor, request: PageRequest): Promise<Page<ServerForecast>> {
    actor.require('read');
    const page = { ...request, limit: Math.min(request.limit, MAX_PREVIEWED) };
    const filter = actor.serverIds === null ? {} : { ids: [...actor.serverIds] };
    const servers = await this.deps.servers.list(filter, page);
    const items = await this.#forecasts(servers.items, await this.#schedules(actor));
    return { items, total: servers.total, limit: page.limit, offset: page.offset };
  }

  /** Only servers that a schedule updates, by name, and the others. */
  async coming(actor: Actor, request: PageRequest): Promise<ComingUpdates> {
    actor.require('read');
    const [own, all] = await Promise.all([
      this.#schedules(actor),
      this.deps.selection.select({ by: 'all' }, visibleIds(actor), MAX_HOSTS),
    ]);
    const updating = own.filter(({ jobType }) => UPDATE_TYPES.some((type) => type === jobType));
    const isUpdated = (server: SelectedServer): boolean =>
      updating.some(({ selector }) => selects(selector, server));
    const updated = all.filter(isUpdated);
    const limit = Math.min(request.limit, MAX_PREVIEWED);
    const ids = updated.slice(request.offset, request.offset + limit).map(({ id }) => id);
    const { items: servers } = await this.deps.servers.list({ ids }, { limit, offset: 0 });
    return {
      page: {
        items: await this.#forecasts(servers, own),
        total: updated.length,
        limit,
        offset: request.offset,
      },
      idle: all.filter((server) => !isUpdated(server)),
    };
  }

  /** Those that start something and that the caller may see. */
  async #schedules(actor: Actor): Promise<readonly Schedule[]> {
    return (await this.deps.schedules.list()).filter(
      ({ enabled, dueAt, params, selector }) =>
        enabled && dueAt !== null && !params.dryRun && staysWithin(selector, actor.reach('read')),
    );
  }

  async #forecasts(servers: readonly Server[], own: readonly Schedule[]): Promise<readonly ServerForecast[]> {
    const policies = await this.deps.policies.list();
    const inventories = await this.deps.inventories.findMany(servers.map(({ id }) => id));
    const statesAt = await this.deps.gate.statesAt();
    const ordered = await this.#ordered(own, servers);
    return servers.map((server): ServerForecast => {
      const policy = policyOf(policies, server);
      const updates = UPDATE_TYPES.flatMap((jobType) => {
        const next = nextOf(own, server, jobType, ordered);
        if (next === null) return [];
        const { schedule, at, start } = next;
        const refusal =
          switchedOff(server, jobType) ??
          heldFromSchedules(policy, server, jobType) ??
          stoppedBy(start) ??
          outsideWindow(statesAt(at), server, jobType);
        const found = findings(inventories.get(server.id) ?? null, {
          jobType,
          schedule,
          policy,
          at,
          runAt: start?.runAt,
        });
        return [{ jobType, schedule, at, refusal, ...found, turn: turnOf(start) }];
      });
      return { server, policy, updates };
    });
  }

  /** The expected starts of schedules that update some of these servers, by schedule. */
  async #ordered(schedules: readonly Schedule[], servers: readonly Server[]): Promise<OrderedStarts> {
    const starts = new Map<number, ReadonlyMap<number, OrderedStart>>();
    for (const schedule of schedules) {
      const isUpdate = UPDATE_TYPES.some((type) => type === schedule.jobType);
      if (!isUpdate || onlyServer(schedule) !== null) continue;
      if (servers.some((server) => selects(schedule.selector, server)))
        starts.set(schedule.id, await this.deps.orderForecasts.of(schedule));
    }
    return starts;
  }
}

type OrderedStarts = ReadonlyMap<number, ReadonlyMap<number, OrderedStart>>;

interface NextUpdate {
  readonly schedule: Schedule;
  readonly at: Instant;
  readonly start: OrderedStart | null;
}

/** The first schedule that starts such a job on the server. */
function nextOf(
  schedules: readonly Schedule[],
  server: Server,
  jobType: UpdateType,
  ordered: OrderedStarts,
): NextUpdate | null {
  const found = schedules
    .filter((each) => each.jobType === jobType && selects(each.selector, server))
    .flatMap((schedule): NextUpdate[] => {
      if (schedule.dueAt === null) return [];
      const start = ordered.get(schedule.id)?.get(server.id) ?? null;
      // A schedule of one server is due with its delay; a batch delays each of its jobs.
      const jitter = onlyServer(schedule) === null ? jitterOf(schedule, server.id) : delayOf(schedule);
      return [{ schedule, at: start?.expected.at ?? schedule.dueAt - delayOf(schedule) + jitter, start }];
    });
  return found.toSorted((a, b) => a.at - b.at || a.schedule.id - b.schedule.id)[0] ?? null;
}

const turnOf = (start: OrderedStart | null): UpdateTurn | null =>
  start && {
    ring: start.ring + 1,
    ringTag: start.order.rings[start.ring]?.tag ?? null,
    turn: start.expected.at === null ? null : start.expected.turn,
  };

/** Why the order of its policy does not let a server start. */
const stoppedBy = (start: OrderedStart | null): DomainError | null =>
  start?.expected.at === null ? new DomainError('held_by_policy', start.expected.reason) : null;

interface Terms {
  readonly jobType: UpdateType;
  readonly schedule: Schedule;
  readonly policy: PatchPolicy | null;
  readonly at: Instant;
  readonly runAt: Instant | undefined;
}

type Findings = Pick<UpcomingUpdate, 'installs' | 'held'>;

function findings(inventory: Inventory | null, terms: Terms): Findings {
  return terms.jobType === 'os_patch' ? packagesOf(inventory, terms) : imagesOf(inventory, terms);
}

function packagesOf(inventory: Inventory | null, { schedule, policy, at, runAt }: Terms): Findings {
  const listed = inventory?.updates ?? null;
  if (listed === null) return { installs: null, held: [] };
  const steps = schedule.params.osSteps ?? ['upgrade'];
  if (!steps.includes('upgrade') && !steps.includes('full_upgrade')) return { installs: [], held: [] };
  const updates = upgradable(listed);
  const changes = updates.map(
    ({ name, from, to, security }): PackageChange => ({
      kind: from === null ? 'install' : 'upgrade',
      name,
      from,
      to,
      security,
    }),
  );
  const held = policy === null ? [] : heldPackages(policy, changes, { updates, scheduled: true, at, runAt });
  const names = new Set(held.map(({ name }) => name));
  const installs = updates.filter(({ name }) => !names.has(name)).map(({ name, to }) => `${name} ${to}`);
  return { installs, held };
}

function imagesOf(inventory: Inventory | null, { schedule, policy, at, runAt }: Terms): Findings {
  const containers = inventory?.containers ?? null;
  if (containers === null) return { installs: null, held: [] };
  const { sourceFilter, service } = schedule.params;
  const newer = containers.filter(
    (each) =>
      each.update === true &&
      each.project !== null &&
      (sourceFilter === null || each.path === sourceFilter) &&
      (service === null || each.service === service),
  );
  const images = new Map(newer.map(({ image, latest }) => [image, latest?.since ?? null]));
  const held = [...images].flatMap(([name, since]) => {
    const candidate = { kind: 'image', name, security: false, since } as const;
    const reason = policy && heldBack(policy, candidate, { scheduled: true, at, runAt })?.reason;
    return reason ? [{ name, reason }] : [];
  });
  const names = new Set(held.map(({ name }) => name));
  return { installs: [...images.keys()].filter((image) => !names.has(image)), held };
}
