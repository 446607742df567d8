import type { Actor } from '../../domain/access/actor.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import {
  type AlertPolicy,
  alertKind,
  changedPolicy,
  DEFAULT_POLICIES,
  MAX_MUTES,
  type Mute,
  type PolicyChange,
} from '../../domain/events/alert-policy.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import {
  NOTIFICATION_KINDS,
  type Notification,
  type NotificationKind,
  notificationNotFound,
} from '../../domain/events/notification.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';

/** Alert rules. Operators acknowledge and mute; administrators set the rules for all. */
export class ManageAlerts extends UseCase<'notifications' | 'servers' | 'clock'> {
  /** Throws `notification_not_found`. */
  async acknowledge(actor: Actor, id: number): Promise<Notification> {
    actor.requireRole('operator', 'any server');
    const at = this.deps.clock.now();
    const acknowledged = await this.deps.notifications.acknowledge(
      id,
      actor.label,
      at,
      recordOf(actor, at, 'alert.acknowledge'),
    );
    requireOperator(actor, acknowledged);
    return acknowledged;
  }

  /** Undoes `acknowledge`. Throws `notification_not_found`. */
  async reopen(actor: Actor, id: number): Promise<Notification> {
    actor.requireRole('operator', 'any server');
    const at = this.deps.clock.now();
    const reopened = await this.deps.notifications.reopen(id, recordOf(actor, at, 'alert.reopen'));
    requireOperator(actor, reopened);
    return reopened;
  }

  /** Throws `invalid_input`, `server_not_found`. */
  async mute(
    actor: Actor,
    what: { readonly kind: string | null; readonly serverId: number | null; readonly until: Instant | null },
  ): Promise<Mute> {
    actor.requireRole('operator', what.serverId ?? 'all servers');
    const now = this.deps.clock.now();
    const kind = what.kind === null ? null : alertKind(what.kind);
    if (what.serverId !== null) await existingServer(this.deps.servers, actor, what.serverId);
    if (what.until !== null && what.until <= now)
      throw new InvalidInput([{ path: '/until', message: 'Choose a time in the future.' }]);
    if ((await this.deps.notifications.mutes(now)).length >= MAX_MUTES)
      throw new InvalidInput([{ path: '', message: `The limit of ${MAX_MUTES} mutes is reached.` }]);
    return this.deps.notifications.mute(
      { kind, serverId: what.serverId, until: what.until, createdBy: actor.label, createdAt: now },
      ({ id }) => ({ audit: [auditEntry(actor, now, 'alert.mute', `mute:${id}`, { ...what })] }),
    );
  }

  /** Throws `mute_not_found`. */
  async unmute(actor: Actor, id: number): Promise<void> {
    actor.requireRole('operator', 'any server');
    const mute = (await this.mutes(actor)).find((each) => each.id === id);
    if (mute) actor.requireRole('operator', mute.serverId ?? 'all servers');
    else actor.requireRole('operator');
    const audit = [auditEntry(actor, this.deps.clock.now(), 'alert.unmute', `mute:${id}`)];
    return this.deps.notifications.unmute(id, { audit });
  }

  /** Those of servers that the caller may see, and of all servers. */
  async mutes(actor: Actor): Promise<readonly Mute[]> {
    const all = await this.deps.notifications.mutes(this.deps.clock.now());
    return all.filter(({ serverId }) => serverId === null || actor.maySee(serverId));
  }

  async policies(): Promise<readonly AlertPolicy[]> {
    const own = await this.deps.notifications.policies();
    return NOTIFICATION_KINDS.map((kind) => own.find((each) => each.kind === kind) ?? DEFAULT_POLICIES[kind]);
  }

  /** Applies to alerts that start from now on. Throws `invalid_input`. */
  async setPolicy(actor: Actor, name: string, change: PolicyChange): Promise<AlertPolicy> {
    actor.requireRole('administrator');
    const kind: NotificationKind = alertKind(name);
    const before = (await this.policies()).find((each) => each.kind === kind) ?? DEFAULT_POLICIES[kind];
    const policy = changedPolicy(before, change);
    const entry = auditEntry(actor, this.deps.clock.now(), 'alert.policy', `kind:${kind}`, { ...policy });
    await this.deps.notifications.setPolicy(policy, { audit: [entry] });
    return policy;
  }
}

function requireOperator(actor: Actor, { id, serverId }: Notification): void {
  if (serverId !== null && !actor.maySee(serverId)) throw notificationNotFound(id);
  actor.requireRole('operator', serverId ?? 'all servers');
}

const recordOf = (actor: Actor, at: Instant, action: string) => (notification: Notification) => {
  // Undoes the transaction.
  requireOperator(actor, notification);
  const { id, kind, title } = notification;
  return { audit: [auditEntry(actor, at, action, `notification:${id}`, { kind, title })] };
};
