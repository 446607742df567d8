import { type Actor, labelOf } from '../access/actor.ts';
import type { Requester } from '../access/requester.ts';
import { DomainError } from '../base/errors.ts';
import { staysWithin } from '../fleet/host-selector.ts';
import { featureOf, refuseInternal } from '../jobs/job-types.ts';
import type { Schedule, ScheduleChange, ScheduleOwner } from './schedule.ts';

export const asOwner = ({ kind, id, name }: Actor): ScheduleOwner => ({ kind, id, name });

export const ownerLabel = ({ owner }: Pick<Schedule, 'owner'>): string =>
  owner === null ? 'unknown' : labelOf(owner);

/** Whether the caller was the one. */
export const isBy = (actor: Actor, one: Pick<Requester, 'kind' | 'id'> | null): boolean =>
  one !== null && one.kind === actor.kind && one.id === actor.id;

/**
 * Limits a token to what it created or started itself; other callers pass. Throws `approval_required` if the token
 * needs approval, else `not_owner`.
 */
export function requireOwn(actor: Actor, by: Pick<Requester, 'kind' | 'id'> | null, what: string): void {
  if (actor.kind !== 'token' || isBy(actor, by)) return;
  actor.requireNoApproval();
  throw new DomainError(
    'not_owner',
    `A different token or user owns ${what}, and a token can change only what it owns; ask an operator.`,
  );
}

/** Why the owner, as they are now, may not run the schedule; null: they may. */
export function ownerFault(
  owner: Actor | null,
  schedule: Pick<Schedule, 'owner' | 'jobType' | 'selector'>,
): DomainError | null {
  const who = ownerLabel(schedule);
  if (schedule.owner === null) {
    return new DomainError('owner_void', 'Its creator is unknown, so it has no owner.');
  }
  if (owner === null) {
    return new DomainError(
      'owner_void',
      `Its owner, ${who}, ${schedule.owner.kind === 'token' ? 'was revoked or has expired' : 'is disabled'}.`,
    );
  }
  try {
    owner.require('jobs', 'any server');
    refuseInternal(owner, schedule.jobType);
    owner.requireFeature(featureOf(schedule.jobType));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return new DomainError('owner_void', `Its owner, ${who}, may no longer start ${schedule.jobType}.`);
  }
  if (staysWithin(schedule.selector, owner.reach('jobs'))) return null;
  return new DomainError('owner_void', `Its owner, ${who}, may no longer use all of its servers.`);
}

export const SWITCHED_OFF = { enabled: false, dueAt: null } as const;

/**
 * How a change of the owner affects a schedule; null: not at all. `owner`: with their current rights, null if they
 * have none left. `requireApproval`: whether its jobs need approval from now on.
 */
export function afterOwner(
  schedule: Schedule,
  owner: Actor | null,
  requireApproval: boolean,
): ScheduleChange | null {
  const fault = schedule.enabled ? ownerFault(owner, schedule) : null;
  if (fault === null && requireApproval === schedule.requireApproval) return null;
  return { requireApproval, ...(fault === null ? {} : { ...SWITCHED_OFF, offReason: fault.message }) };
}
