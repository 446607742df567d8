import { covers } from '../../domain/access/role.ts';
import { isActive, type User } from '../../domain/access/user.ts';
import { roleOn } from '../../domain/access/user-roles.ts';
import { type Instant, MINUTE } from '../../domain/base/instant.ts';
import { type AlertPolicy, DEFAULT_POLICIES, isMuted, type Mute } from '../../domain/events/alert-policy.ts';
import type { AlertChannel, SentMessage } from '../../domain/events/channels/alert-channel.ts';
import { CHANNEL_KINDS, isChannelKind, sendsEvents } from '../../domain/events/channels/channel-kinds.ts';
import type { Target } from '../../domain/events/delivery.ts';
import { isForWebhooks, isRecovery, type WrittenEvent } from '../../domain/events/event.ts';
import { wants } from '../../domain/events/event-filter.ts';
import { NOTIFICATION_KINDS } from '../../domain/events/notification.ts';
import type { PushSubscription } from '../../domain/events/push-subscription.ts';
import { receivers, type Webhook } from '../../domain/events/webhook.ts';
import type { Server } from '../../domain/fleet/server.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { UseCase } from '../base/use-case.ts';
import type { HandedOut, JobNotice } from '../ports/events/delivery-store.ts';

/** What is read about the events of a batch has to fit one page of a list. */
const BATCH = 100;
const MAX_BATCHES = 20;

/** Possible receivers of events, and what blocks them. */
interface Audience {
  readonly webhooks: readonly Webhook[];
  readonly subscriptions: readonly PushSubscription[];
  readonly channels: readonly AlertChannel[];
  /** Messages that events of the batch resolve: these are updated, whatever the channel's filter selects. */
  readonly resolved: readonly SentMessage[];
  readonly policies: readonly AlertPolicy[];
  readonly mutes: readonly Mute[];
  /** Those whose browsers are sent messages, and who can sign in. */
  readonly users: ReadonlyMap<number, User>;
  readonly now: Instant;
}

/** Gives the events of the outbox to all who want them, in the order in which they were written. */
export class HandOutEvents extends UseCase<
  | 'deliveries'
  | 'webhooks'
  | 'subscriptions'
  | 'notifications'
  | 'servers'
  | 'jobs'
  | 'bodies'
  | 'clock'
  | 'alertChannels.list'
  | 'alertChannels.messagesAbout'
  | 'users.list'
> {
  async isIdle(): Promise<boolean> {
    return (await this.deps.deliveries.waiting(1)).length === 0;
  }

  /** Safe to run in several processes at once: an event is handed out once. */
  async execute(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
      const events = await this.deps.deliveries.waiting(BATCH);
      if (events.length === 0 || !(await this.#handOut(events)) || events.length < BATCH) return;
    }
  }

  async #handOut(written: readonly WrittenEvent[]): Promise<boolean> {
    const { deliveries, bodies, clock } = this.deps;
    const audience = await this.#audience(written);
    const events = written.map((event) => graded(event, audience));
    const { servers, jobs } = await this.#subjects(events);
    const out = events.map((event): HandedOut => {
      const server = (event.serverId !== null && servers.get(event.serverId)) || null;
      const targets = targetsOf(event, server?.tags ?? null, audience);
      const job = (event.jobId !== null && jobs.get(event.jobId)) || null;
      const body = targets.length > 0 ? bodies.render(event, { server, job }) : null;
      return { event, body, targets };
    });
    const notices = events.flatMap((event) => noticeOf(event, jobs, audience));
    return deliveries.handOut(out, notices, clock.now());
  }

  async #audience(written: readonly WrittenEvent[]): Promise<Audience> {
    const { webhooks, subscriptions, alertChannels, notifications, clock } = this.deps;
    const now = clock.now();
    const browsers = await subscriptions.list();
    const over = written.flatMap((event) => (isRecovery(event) && event.problem ? [event.problem] : []));
    return {
      webhooks: receivers(await webhooks.list()),
      subscriptions: browsers,
      channels: (await alertChannels.list()).filter(
        ({ enabled, kind }) => enabled && (!isChannelKind(kind) || sendsEvents(CHANNEL_KINDS[kind])),
      ),
      resolved: await alertChannels.messagesAbout([...new Set(over)]),
      policies: await notifications.policies(),
      mutes: await notifications.mutes(now),
      users: browsers.some(({ ownerId }) => ownerId !== null) ? await this.#users() : new Map(),
      now,
    };
  }

  async #users(): Promise<ReadonlyMap<number, User>> {
    const found = new Map<number, User>();
    for (let offset = 0; ; offset += BATCH) {
      const { items } = await this.deps.users.list({ limit: BATCH, offset });
      for (const user of items) if (isActive(user)) found.set(user.id, user);
      if (items.length < BATCH) return found;
    }
  }

  async #subjects(
    events: readonly WrittenEvent[],
  ): Promise<{ servers: ReadonlyMap<number, Server>; jobs: ReadonlyMap<number, Job> }> {
    const page = { limit: BATCH, offset: 0 };
    const serverIds = distinct(events.map(({ serverId }) => serverId));
    const jobIds = distinct(events.map(({ jobId }) => jobId));
    const servers =
      serverIds.length > 0 ? (await this.deps.servers.list({ ids: serverIds }, page)).items : [];
    const jobs = jobIds.length > 0 ? (await this.deps.jobs.list({ ids: jobIds }, page)).items : [];
    return { servers: byId(servers), jobs: byId(jobs) };
  }
}

/** An operator can override the severity of a kind, also of events from jobs. */
function graded(event: WrittenEvent, { policies }: Audience): WrittenEvent {
  const kind = NOTIFICATION_KINDS.find((each) => each === event.type);
  if (kind === undefined) return event;
  const policy = policies.find((each) => each.kind === kind) ?? DEFAULT_POLICIES[kind];
  return { ...event, severity: policy.severity ?? event.severity };
}

function targetsOf(
  event: WrittenEvent,
  tags: readonly string[] | null,
  audience: Audience,
): readonly Target[] {
  const { mutes, now } = audience;
  if (isMuted(mutes, { kind: event.type, serverId: event.serverId }, now)) return [];
  const webhooks = isForWebhooks(event.type) ? audience.webhooks : [];
  return [
    ...webhooks
      .filter(({ filter }) => wants(filter, event, tags))
      .map(({ id }): Target => ({ channel: 'webhook', id })),
    ...audience.channels
      .filter(({ id, filter }) => wants(filter, event, tags) || updates(event, id, audience))
      .map(({ id }): Target => ({ channel: 'channel', id })),
    // A message that comes when the service was down for long would only confuse.
    ...audience.subscriptions
      .filter(({ filter }) => now - event.at < PUSH_FRESH_MS && wants(filter, event, tags))
      .filter(({ ownerId }) => mayKnow(event, ownerId, audience))
      .map(({ id }): Target => ({ channel: 'push', id })),
  ];
}

/** Whether the event resolves a problem of which the channel has a message. */
const updates = (event: WrittenEvent, channel: number, { resolved }: Audience): boolean =>
  isRecovery(event) &&
  resolved.some(({ channelId, problem }) => channelId === channel && problem === event.problem);

/**
 * Users are not notified of servers that they may not see, nor of requests that they cannot approve. A browser without a
 * user gets all.
 */
function mayKnow({ type, serverId }: WrittenEvent, ownerId: number | null, { users }: Audience): boolean {
  if (ownerId === null) return true;
  const user = users.get(ownerId);
  const needed = type === 'approval.requested' ? 'operator' : 'viewer';
  return user !== undefined && covers(roleOn(user, serverId), needed);
}

const PUSH_FRESH_MS = 60 * MINUTE;

/** What a job's end says about jobs of its type on its server. */
function noticeOf(
  event: WrittenEvent,
  jobs: ReadonlyMap<number, Job>,
  { mutes, now }: Audience,
): readonly JobNotice[] {
  const { type, severity, title, message, serverId, jobId } = event;
  if (type !== 'job.failed' && type !== 'job.succeeded') return [];
  const job = jobId === null ? undefined : jobs.get(jobId);
  if (!job || serverId === null) return [];
  const { jobType, serverName } = job;
  const condition = { kind: 'job.failed', subjectId: serverId, variant: jobType, at: event.at } as const;
  const muted = isMuted(mutes, { kind: 'job.failed', serverId }, now);
  return [
    {
      condition: { ...condition, serverId, jobId, name: serverName },
      words: type === 'job.failed' ? { severity, title, message, muted } : null,
    },
  ];
}

const distinct = (ids: readonly (number | null)[]): readonly number[] => [
  ...new Set(ids.filter((each) => each !== null)),
];

const byId = <T extends { readonly id: number }>(items: readonly T[]): ReadonlyMap<number, T> =>
  new Map(items.map((each) => [each.id, each]));
