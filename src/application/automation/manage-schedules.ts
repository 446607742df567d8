import { type Actor, serverNotFound } from '../../domain/access/actor.ts';
import { batchBounds, type RawBounds } from '../../domain/automation/batch.ts';
import { nameProblems } from '../../domain/automation/maintenance-window.ts';
import {
  delayOf,
  MAX_JITTER_MS,
  MAX_SCHEDULES,
  type Schedule,
  type ScheduleChange,
  type ScheduleOwner,
} from '../../domain/automation/schedule.ts';
import type { ScheduleDescription, ScheduleEdit } from '../../domain/automation/schedule-description.ts';
import { asOwner, ownerFault, ownerLabel } from '../../domain/automation/schedule-owner.ts';
import { DomainError, InvalidInput } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import type { KeepReply } from '../../domain/base/kept-reply.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import {
  type HostSelector,
  hostSelector,
  MAX_HOSTS,
  rawSelector,
  staysWithin,
} from '../../domain/fleet/host-selector.ts';
import { needsControl, requireConfirmedForLater } from '../../domain/fleet/own-machine.ts';
import { featureOf, refuseInternal } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import { paramsOf, requestOf } from '../jobs/job-params.ts';
import type { RequesterActors } from '../jobs/requester-actors.ts';
import { ownSchedule } from './list-schedules.ts';

/** The caller's settings of a schedule; the rest follows from the caller. */
export type ScheduleFields = Omit<Required<ScheduleChange>, 'owner' | 'offReason' | 'requireApproval'>;

/** Manages schedules. */
export class ManageSchedules extends UseCase<
  'schedules' | 'selection' | 'runners' | 'cron' | 'clock',
  { readonly refusals: RefusalAuditor; readonly requesters: Pick<RequesterActors, 'ownerOf'> }
> {
  /**
   * Throws what `TriggerJob` would for the capability, the feature and the parameters; `server_not_found` for a
   * missing or hidden server; `invalid_input`, also if a caller that is limited to servers selects others;
   * `name_taken`.
   */
  add(actor: Actor, asked: ScheduleDescription, keep?: KeepReply<Schedule>): Promise<Schedule> {
    const about = { name: asked.name, jobType: asked.jobType };
    return this.deps.refusals.watch(
      { actor, action: 'schedule.add', object: 'schedules', detail: about },
      async () => {
        const now = this.deps.clock.now();
        const described = await this.draft(actor, asked);
        const owned = { owner: asOwner(actor), offReason: null, requireApproval: actor.requireApproval };
        return this.deps.schedules.add({ ...described, ...owned, createdBy: actor.label }, now, (added) => ({
          audit: [auditEntry(actor, now, 'schedule.add', `schedule:${added.id}`, aboutOf(added))],
          reply: keep?.(added),
        }));
      },
    );
  }

  /**
   * Throws as `add` does, `schedule_not_found`, `approval_required` or `not_owner` for a schedule that a token does
   * not own, and `empty_change`. The change applies from now on: nothing is caught up. If the owner cannot run the
   * result, the user who leaves it enabled becomes its owner; its jobs need approval as before.
   */
  edit(actor: Actor, id: number, asked: ScheduleEdit): Promise<Schedule> {
    return this.deps.refusals.watch(
      { actor, action: 'schedule.edit', object: `schedule:${id}` },
      async () => {
        const now = this.deps.clock.now();
        const { schedule, change } = await this.draftEdit(actor, id, asked);
        const requireApproval = schedule.requireApproval || actor.requireApproval;
        const owner = await this.#ownerAfter(actor, { ...schedule, ...change });
        const offReason = change.enabled ? null : schedule.offReason;
        const written = { ...change, owner, offReason, requireApproval };
        return this.deps.schedules.change(schedule, written, now, (changed) => ({
          audit: [auditEntry(actor, now, 'schedule.edit', `schedule:${id}`, aboutOf(changed))],
        }));
      },
    );
  }

  /** The new schedule as `add` would write it. Throws as `add` does. */
  async draft(actor: Actor, asked: ScheduleDescription): Promise<ScheduleFields> {
    const described = await this.#describe(actor, asked, {
      said: asked,
      handledTo: this.deps.clock.now(),
    });
    if ((await this.deps.schedules.list()).length >= MAX_SCHEDULES) {
      throw new InvalidInput([{ path: '', message: `The limit of ${MAX_SCHEDULES} schedules is reached.` }]);
    }
    return described;
  }

  /** The schedule, and what `edit` would write. Throws as `edit` does. */
  async draftEdit(
    actor: Actor,
    id: number,
    asked: ScheduleEdit,
  ): Promise<{ readonly schedule: Schedule; readonly change: ScheduleFields }> {
    const schedule = await this.own(actor, id);
    if (Object.values(asked).every((value) => value === undefined)) {
      throw new DomainError('empty_change', 'Nothing to change: name at least one setting of the schedule.');
    }
    const after = merged(schedule, asked);
    const isNewTime =
      JSON.stringify(after.cron) !== JSON.stringify(schedule.cron) || (after.enabled && !schedule.enabled);
    const handledTo = isNewTime ? this.deps.clock.now() : schedule.handledTo;
    return { schedule, change: await this.#describe(actor, after, { said: asked, handledTo }) };
  }

  /** A schedule that the caller may change. Throws `schedule_not_found`, `approval_required`, `not_owner`. */
  async own(actor: Actor, id: number): Promise<Schedule> {
    actor.require('jobs', 'any server');
    const schedule = await ownSchedule(this.deps.schedules, actor, id);
    actor.requireFeature(featureOf(schedule.jobType));
    return schedule;
  }

  async #ownerAfter(actor: Actor, schedule: Schedule): Promise<ScheduleOwner | null> {
    if (!schedule.enabled || actor.kind === 'token') return schedule.owner;
    // Changing someone else's schedule must not give that user's control of the service's own machine.
    if (needsControl(`job.${schedule.jobType}`)) return asOwner(actor);
    const owner = await this.deps.requesters.ownerOf(schedule);
    return ownerFault(owner, schedule) === null ? schedule.owner : asOwner(actor);
  }

  /** Jobs that it started go on. Throws `schedule_not_found`, `approval_required`, `not_owner`. */
  remove(actor: Actor, id: number): Promise<Schedule> {
    return this.deps.refusals.watch(
      { actor, action: 'schedule.remove', object: `schedule:${id}` },
      async () => {
        const schedule = await this.own(actor, id);
        const now = this.deps.clock.now();
        const record = {
          audit: [auditEntry(actor, now, 'schedule.remove', `schedule:${id}`, { name: schedule.name })],
        };
        await this.deps.schedules.remove(id, record);
        return schedule;
      },
    );
  }

  /** Only the given fields are validated: a schedule can be disabled whatever happened to its servers. */
  async #describe(
    actor: Actor,
    asked: ScheduleDescription,
    { said, handledTo }: { readonly said: ScheduleEdit; readonly handledTo: Instant },
  ): Promise<ScheduleFields> {
    const { name, cron, jobType, jitterMs, enabled } = asked;
    actor.require('jobs', 'any server');
    refuseInternal(actor, jobType);
    actor.requireFeature(featureOf(jobType));
    if (enabled) requireConfirmedForLater(actor, `job.${jobType}`);
    const selector = hostSelector(asked.selector);
    if (said.selector) await this.#refuseOthers(actor, selector);
    if (said.jobType) this.deps.runners.require(jobType);
    const problems = [...nameProblems(name)];
    if (!Number.isInteger(jitterMs) || jitterMs < 0 || jitterMs > MAX_JITTER_MS) {
      problems.push({ path: '/jitter', message: 'The jitter must be between 0 and one hour.' });
    }
    if (problems.length > 0) throw new InvalidInput(problems);
    if (said.cron) this.deps.cron.check(cron, this.deps.clock.now());
    const next = enabled ? this.deps.cron.next(cron, handledTo) : null;
    const described = { name, selector, cron, jobType, jitterMs, enabled, handledTo };
    return {
      ...described,
      params: paramsOf(jobType, asked.params),
      bounds: batchBounds(asked.bounds),
      dueAt: next === null ? null : next + delayOf(described),
    };
  }

  async #refuseOthers(actor: Actor, selector: HostSelector): Promise<void> {
    if (selector.by === 'ids') {
      for (const id of selector.ids) {
        actor.requireServer(id);
        actor.require('jobs', id);
      }
      const found = new Set(
        (await this.deps.selection.select(selector, null, MAX_HOSTS)).map(({ id }) => id),
      );
      const missing = selector.ids.find((id) => !found.has(id));
      if (missing !== undefined) throw serverNotFound(missing);
    } else if (!staysWithin(selector, actor.reach('jobs'))) {
      // The servers of a tag may change long after the caller was limited.
      const message =
        actor.kind === 'token'
          ? 'This token is limited to certain servers: select them by ID.'
          : 'Your role applies to certain servers: select them by name, or by a tag of your role.';
      throw new InvalidInput([{ path: '/selector', message }]);
    }
  }
}

function merged(schedule: Schedule, asked: ScheduleEdit): ScheduleDescription {
  const jobType = asked.jobType ?? schedule.jobType;
  const params = jobType === schedule.jobType ? requestOf(schedule.params) : {};
  return {
    name: asked.name ?? schedule.name,
    selector: asked.selector ?? rawSelector(schedule.selector),
    cron: {
      expression: asked.cron?.expression ?? schedule.cron.expression,
      timeZone: asked.cron?.timeZone ?? schedule.cron.timeZone,
    },
    jobType,
    params: { ...params, ...asked.params },
    bounds: { ...schedule.bounds, ...given(asked.bounds) },
    jitterMs: asked.jitterMs ?? schedule.jitterMs,
    enabled: asked.enabled ?? schedule.enabled,
  };
}

/** The bounds that are given at all. */
const given = (bounds: RawBounds | undefined): RawBounds =>
  Object.fromEntries(Object.entries(bounds ?? {}).filter(([, value]) => value !== undefined));

const aboutOf = (schedule: Schedule) => ({
  name: schedule.name,
  jobType: schedule.jobType,
  selector: schedule.selector,
  cron: schedule.cron,
  params: { ...schedule.params },
  enabled: schedule.enabled,
  owner: ownerLabel(schedule),
  requireApproval: schedule.requireApproval,
});
