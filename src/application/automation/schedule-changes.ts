import type { Actor } from '../../domain/access/actor.ts';
import type { Schedule } from '../../domain/automation/schedule.ts';
import type { ScheduleEdit } from '../../domain/automation/schedule-description.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { MINUTE } from '../../domain/base/instant.ts';
import { selectorText } from '../../domain/fleet/host-selector.ts';
import { jobTitle } from '../../domain/jobs/job-types.ts';
import type { ChangePreview, ScheduleChangeRequest } from '../../domain/jobs/requested-change.ts';
import { UseCase } from '../base/use-case.ts';
import type { ChangeHandler } from '../jobs/change-handler.ts';
import type { ManageSchedules, ScheduleFields } from './manage-schedules.ts';

/** Changes of schedules that wait for approval. */
export class ScheduleChanges
  extends UseCase<'schedules.list', { readonly manageSchedules: ManageSchedules }>
  implements ChangeHandler<ScheduleChangeRequest>
{
  async preview(actor: Actor, change: ScheduleChangeRequest): Promise<ChangePreview | null> {
    const { manageSchedules } = this.deps;
    if (change.kind === 'add_schedule') {
      const fields = await manageSchedules.draft(actor, change.asked);
      await this.#refuseTaken(fields.name);
      return previewOf(null, fields, 'new');
    }
    if (change.kind === 'remove_schedule') {
      const schedule = await manageSchedules.own(actor, change.scheduleId);
      return previewOf(schedule, null, 'deleted');
    }
    const { schedule, change: fields } = await manageSchedules.draftEdit(
      actor,
      change.scheduleId,
      editOf(change),
    );
    return previewOf(schedule, fields, 'changed');
  }

  /** The jobs of the schedule wait for approval, as before: the approval is of the schedule alone. */
  async perform(asker: Actor, change: ScheduleChangeRequest): Promise<void> {
    const { manageSchedules } = this.deps;
    const actor = asker.acting({ via: asker.via, requireApproval: true });
    if (change.kind === 'add_schedule') await manageSchedules.add(actor, change.asked);
    else if (change.kind === 'edit_schedule')
      await manageSchedules.edit(actor, change.scheduleId, editOf(change));
    else await manageSchedules.remove(actor, change.scheduleId);
  }

  async #refuseTaken(name: string): Promise<void> {
    if (!(await this.deps.schedules.list()).some((each) => each.name === name)) return;
    throw new DomainError('name_taken', `There is a schedule named "${name}" already; choose another name.`);
  }
}

function editOf({ asked, cleared }: Extract<ScheduleChangeRequest, { kind: 'edit_schedule' }>): ScheduleEdit {
  if (cleared.length === 0) return asked;
  const removed = Object.fromEntries(cleared.map((name) => [name, undefined]));
  return { ...asked, params: { ...asked.params, ...removed } };
}

/** Null if nothing differs. */
function previewOf(before: Schedule | null, after: ScheduleFields | null, how: string): ChangePreview | null {
  const [was, becomes] = [before && textsOf(before), after && textsOf(after)];
  const names = Object.keys(was ?? becomes ?? {});
  const facts = names
    .map((name) => ({ name, before: was?.[name] ?? null, after: becomes?.[name] ?? null }))
    .filter((fact) => fact.before !== fact.after);
  const shown = before ?? after;
  if (facts.length === 0 || shown === null) return null;
  return {
    serverId: null,
    subject: selectorText(shown.selector),
    summary: `${shown.name}: ${how}`,
    facts,
    diff: null,
    state: JSON.stringify([before && [before.id, before.revision], facts]),
  };
}

const textsOf = (schedule: Schedule | ScheduleFields): Readonly<Record<string, string>> => ({
  Name: schedule.name,
  Job: jobTitle(schedule.jobType),
  Servers: selectorText(schedule.selector),
  Times: `${schedule.cron.expression} (${schedule.cron.timeZone})`,
  Parameters: partsOf(schedule.params),
  Batch: partsOf(schedule.bounds),
  Jitter: `${schedule.jitterMs / MINUTE} min`,
  State: schedule.enabled ? 'on' : 'off',
});

/** Such as `dryRun true, sourceFilter etc`. */
const partsOf = (parts: object): string =>
  Object.entries(parts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`)
    .toSorted()
    .join(', ');
