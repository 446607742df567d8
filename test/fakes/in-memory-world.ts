import type { OwnerChange } from '../../src/application/ports/automation/schedule-store.ts';
import type { StoredDump } from '../../src/application/ports/backups/dump-store.ts';
import type { StoredRepository } from '../../src/application/ports/backups/repository-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { ApiToken } from '../../src/domain/access/api-token.ts';
import type { Batch, BatchMember } from '../../src/domain/automation/batch.ts';
import type { Schedule, ScheduleOwner, ScheduleRun } from '../../src/domain/automation/schedule.ts';
import type { BackupSource } from '../../src/domain/backups/backup-source.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { ReplyToKeep } from '../../src/domain/base/kept-reply.ts';
import { keyInUse } from '../../src/domain/base/request-key.ts';
import type { AuditEntry } from '../../src/domain/events/audit-entry.ts';
import type { Delivery } from '../../src/domain/events/delivery.ts';
import type { DomainEvent, WrittenEvent } from '../../src/domain/events/event.ts';
import type { Notification, NotificationKind } from '../../src/domain/events/notification.ts';
import type { PushSubscription } from '../../src/domain/events/push-subscription.ts';
import type { Webhook } from '../../src/domain/events/webhook.ts';
import type { ClockJump } from '../../src/domain/fleet/clock-jump.ts';
import type { Server } from '../../src/domain/fleet/server.ts';
import type { FoundService } from '../../src/domain/fleet/service.ts';
import type { Approval } from '../../src/domain/jobs/approval.ts';
import type { Job } from '../../src/domain/jobs/job.ts';

/** An event as the database keeps it. */
export interface OutboxEntry {
  readonly event: WrittenEvent;
  pending: boolean;
  body: string | null;
}

/** Records of changes, oldest first. */
export class InMemoryTrail {
  readonly audit: (AuditEntry & { readonly id: number })[] = [];
  readonly events: DomainEvent[] = [];
  readonly outbox: OutboxEntry[] = [];

  /** Stores a reply to a request with a key; false if another attempt at it took over. */
  keepReply: (reply: ReplyToKeep) => boolean = () => false;

  /** Before anything else is changed: it may refuse. */
  write(record: ChangeRecord): void {
    if (record.reply && !this.keepReply(record.reply)) throw keyInUse();
    for (const entry of record.audit ?? []) this.audit.push({ ...entry, id: this.audit.length + 1 });
    for (const event of record.events ?? []) {
      this.events.push(event);
      this.addEvent({ ...event, uid: `event-${this.outbox.length + 1}` }, { pending: true, body: null });
    }
  }

  /** Also one for a single target, which waits for no other. */
  addEvent(
    event: Omit<WrittenEvent, 'id'>,
    state: { readonly pending: boolean; readonly body: string | null },
  ): OutboxEntry {
    const entry = { ...state, event: { ...event, id: this.outbox.length + 1 } };
    this.outbox.push(entry);
    return entry;
  }

  /** `server.add server:1`, … */
  get actions(): readonly string[] {
    return this.audit.map((entry) => `${entry.action} ${entry.object}`);
  }
}

export interface InMemoryToken {
  readonly token: ApiToken;
  readonly secretHash: string;
}

/**
 * The shared state of in-memory stores whose rules depend on each other's data. A method of a store makes its whole
 * change without awaiting, so that each is one transaction.
 */
export class InMemoryWorld {
  /** Jumps of the clock that are not over. */
  readonly clockJumps = new Map<number, Omit<ClockJump, 'acknowledged'>>();
  /** Those that are there. */
  readonly servers = new Map<number, Server>();
  /** Also removed ones, since snapshots refer to them. */
  readonly sources = new Map<number, BackupSource & { readonly removedAt: Instant | null }>();
  /** Database dumps of sources that are there. */
  readonly dumps = new Map<number, StoredDump>();
  /** Backup repositories that are there. */
  readonly repositories = new Map<number, StoredRepository>();
  /** The source of each snapshot that is listed, by its id. */
  readonly snapshotSources = new Map<number, number>();
  /** All jobs; a job store may keep more about each than a reader sees. */
  readonly jobs = new Map<number, Job>();
  /** Those of each server, by its id. */
  readonly services = new Map<number, readonly (FoundService & { readonly id: number })[]>();
  readonly schedules = new Map<number, Schedule>();
  /** Runs of schedules, with when they were stamped. */
  readonly scheduleRuns = new Map<number, ScheduleRun & { readonly stampedAt: Instant }>();
  readonly batches = new Map<number, Batch>();
  readonly approvals = new Map<number, Approval>();
  /** Also those that are over. */
  readonly notifications = new Map<number, Notification>();
  readonly webhooks = new Map<number, Webhook>();
  readonly subscriptions = new Map<number, PushSubscription>();
  readonly deliveries = new Map<number, Delivery>();
  /** Those of each batch in the order of their turns, by its id. */
  readonly batchMembers = new Map<number, readonly BatchMember[]>();
  /** Also revoked ones. */
  readonly tokens = new Map<number, InMemoryToken>();
  readonly record = new InMemoryTrail();
  /** The database's clock. */
  now: () => Instant = Date.now;
  readonly #lastIds = new Map<string, number>();

  /** Notifications of these servers (`null`: all, and of none) that count as open. */
  openAlerts(serverIds: readonly number[] | null, only?: NotificationKind): number {
    return [...this.notifications.values()].filter(
      ({ state, kind, muted, serverId }) =>
        (state === 'open' || state === 'acknowledged') &&
        !muted &&
        (only === undefined || kind === only) &&
        (serverIds === null || (serverId !== null && serverIds.includes(serverId))),
    ).length;
  }

  /** The effect of an owner's change on their schedules; applied by the second function. */
  changeOwned(
    { kind, id }: Pick<ScheduleOwner, 'kind' | 'id'>,
    at: Instant,
    change: OwnerChange,
  ): { readonly switchedOff: readonly Schedule[]; readonly write: () => void } {
    const changed = [...this.schedules.values()]
      .filter(({ owner }) => owner?.kind === kind && owner.id === id)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((before) => {
        const wanted = change(before);
        const revision = before.revision + 1;
        return wanted === null ? [] : [{ before, after: { ...before, ...wanted, revision, updatedAt: at } }];
      });
    const write = (): void => {
      for (const { after } of changed) {
        this.schedules.set(after.id, after);
        const detail = after.offReason ?? 'The permissions of its owner changed just before it started.';
        for (const run of this.scheduleRuns.values()) {
          if (run.scheduleId !== after.id || run.outcome !== 'starting' || run.manual) continue;
          this.scheduleRuns.set(run.id, { ...run, outcome: 'refused', code: 'owner_void', detail });
        }
      }
    };
    const off = changed.filter(({ before, after }) => before.enabled && !after.enabled);
    return { switchedOff: off.map(({ after }) => after), write };
  }

  nextId(table: string): number {
    const id = (this.#lastIds.get(table) ?? 0) + 1;
    this.#lastIds.set(table, id);
    return id;
  }
}
