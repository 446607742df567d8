import type { Knex } from 'knex';
import type { OwnerChange } from '../../../../../application/ports/automation/schedule-store.ts';
import type { Schedule, ScheduleOwner } from '../../../../../domain/automation/schedule.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { SCHEDULE_COLUMNS, type ScheduleRow, scheduleColumns, toSchedule } from '../tables/schedule-row.ts';

interface OwnerColumns {
  readonly owner_kind: string;
  readonly owner_id: number | null;
  readonly owner_name: string;
}

/**
 * Assigns owners to schedules of older versions: the one that added them according to the audit log, else the user or
 * operator in `created_by`. Names of tokens are not unique, so a token is found only through the audit log.
 */
export async function adoptOwners(knex: Knex): Promise<void> {
  const rows = await knex('schedules')
    .whereNull('owner_kind')
    .select<{ id: number; created_by: string }[]>('id', 'created_by');
  for (const { id, created_by } of rows) {
    const owner = (await addedBy(knex, id)) ?? (await named(knex, created_by));
    if (!owner) continue;
    // In versions without owners, an operator's edit dropped the approval that a token needs.
    const approval = (await needsApproval(knex, owner)) ? { require_approval: 1 } : {};
    await knex('schedules')
      .where({ id })
      .whereNull('owner_kind')
      .update({ ...owner, ...approval });
  }
}

const addedBy = (knex: Knex, id: number): Promise<OwnerColumns | undefined> =>
  knex('audit_entries')
    .where({ object: `schedule:${id}`, action: 'schedule.add', outcome: 'done' })
    .first({ owner_kind: 'actor_kind', owner_id: 'actor_id', owner_name: 'actor_name' });

async function needsApproval(knex: Knex, { owner_kind, owner_id }: OwnerColumns): Promise<boolean> {
  if (owner_kind !== 'token') return false;
  const token = await knex('api_tokens').where({ id: owner_id, require_approval: 1 }).first('id');
  return token !== undefined;
}

async function named(knex: Knex, label: string): Promise<OwnerColumns | undefined> {
  if (label.startsWith('token:')) return undefined;
  if (!label.startsWith('user:')) return { owner_kind: 'operator', owner_id: null, owner_name: label };
  const owner_name = label.slice('user:'.length);
  const user = await knex('users').where({ name: owner_name }).first<{ id: number } | undefined>('id');
  return user && { owner_kind: 'user', owner_id: user.id, owner_name };
}

/**
 * Changes the schedules of an owner, in the transaction of the owner's change; returns the disabled ones. Unstarted
 * runs never start: they would have rights that may be revoked.
 */
export async function changeOwned(
  trx: Knex,
  owner: Pick<ScheduleOwner, 'kind' | 'id'>,
  at: Instant,
  change: OwnerChange,
): Promise<readonly Schedule[]> {
  const owned = trx('schedules').where({ owner_kind: owner.kind, owner_id: owner.id }).orderBy('name');
  if (trx.client.dialect === 'mysql') owned.forUpdate();
  const rows: ScheduleRow[] = await owned.select(SCHEDULE_COLUMNS);
  const switchedOff: Schedule[] = [];
  for (const before of rows.map(toSchedule)) {
    const wanted = change(before);
    if (wanted === null) continue;
    const after = { ...before, ...wanted, revision: before.revision + 1, updatedAt: at };
    await trx('schedules')
      .where({ id: before.id })
      .update({ ...scheduleColumns(after), revision: after.revision, updated_at: at });
    await trx('schedule_runs')
      .where({ schedule_id: before.id, outcome: 'starting', manual: 0 })
      .update({ outcome: 'refused', code: 'owner_void', detail: after.offReason ?? OWNER_CHANGED });
    if (before.enabled && !after.enabled) switchedOff.push(after);
  }
  return switchedOff;
}

const OWNER_CHANGED = 'The permissions of its owner changed just before it started.';
