import type { Actor } from '../../domain/access/actor.ts';
import { type ApiToken, actorOf, isUsable } from '../../domain/access/api-token.ts';
import { actorOfUser, isActive, type User } from '../../domain/access/user.ts';
import type { Schedule } from '../../domain/automation/schedule.ts';
import { afterOwner } from '../../domain/automation/schedule-owner.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { type AuditEntry, auditEntry } from '../../domain/events/audit-entry.ts';
import type { OwnedByToken } from '../ports/access/token-store.ts';
import type { OwnedByUser } from '../ports/access/user-store.ts';

/** A token after a change, and the schedules of it that the change switched off. */
export interface ChangedToken {
  readonly token: ApiToken;
  readonly switchedOff: readonly Schedule[];
}

/** A user after a change, and the schedules of theirs that the change switched off. */
export interface ChangedUser {
  readonly user: User;
  readonly switchedOff: readonly Schedule[];
}

/** Schedules have their token's current rights, and need approval if it does. */
export const schedulesOfToken = (at: Instant): OwnedByToken => ({
  at,
  change: (token) => {
    const owner = isUsable(token, at) ? actorOf(token, null) : null;
    return (schedule) => afterOwner(schedule, owner, token.requireApproval);
  },
});

/** Schedules go by the role that their owner has now. One that was a token's needs approval as before. */
export const schedulesOfUser = (at: Instant): OwnedByUser => ({
  at,
  change: (user) => {
    const owner = isActive(user) ? actorOfUser(user, null) : null;
    return (schedule) => afterOwner(schedule, owner, schedule.requireApproval);
  },
});

export const switchedOffEntry = (actor: Actor, at: Instant, { id, name, offReason }: Schedule): AuditEntry =>
  auditEntry(actor, at, 'schedule.switch_off', `schedule:${id}`, { name, reason: offReason });

/** How many are named in the entry about their owner; each has a separate entry, too. */
const MAX_NAMED = 50;

/** The part of the owner's entry about disabled schedules. */
export const switchedOffDetail = (off: readonly Schedule[]): { readonly [key: string]: unknown } =>
  off.length === 0
    ? {}
    : { switchedOff: off.length, schedules: off.slice(0, MAX_NAMED).map(({ name }) => name) };
