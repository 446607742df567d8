import { isDomainError } from '../../domain/base/errors.ts';
import { type Instant, MINUTE } from '../../domain/base/instant.ts';
import {
  type Attempt,
  afterAttempt,
  CHANNELS,
  type Channel,
  type Target,
} from '../../domain/events/delivery.ts';
import { UseCase } from '../base/use-case.ts';
import type { DueDelivery } from '../ports/events/delivery-store.ts';

/** A way on which messages are sent. */
export interface DeliveryChannel {
  /** `null`: the target does not exist any longer or is disabled; its due deliveries end. */
  open(targetId: number): Promise<OpenTarget | null>;
}

export interface OpenTarget {
  /** For the log. */
  readonly name: string;
  send(delivery: DueDelivery, signal: AbortSignal): Promise<Attempt>;
  /** Absent: each delivery is a message, and sent at once. */
  readonly gathers?: Gathers;
  /** The receiver answered that it is permanently gone. */
  gone(): Promise<void>;
}

/** How a target makes messages wait, and one of several. */
interface Gathers {
  /** The most deliveries that one message takes. */
  readonly most: number;
  /** When it may be sent; a moment that has passed: now. */
  sentAt(delivery: DueDelivery, now: Instant): Instant;
  /** Whether it comes with others. */
  isShared(delivery: DueDelivery): boolean;
  send(deliveries: readonly [DueDelivery, ...DueDelivery[]], signal: AbortSignal): Promise<Attempt>;
}

/** Longer than a try takes; renewed before each. */
const LEASE_MS = MINUTE;
const BATCH = 20;
/** How many targets of a channel are served at once. */
const AT_ONCE: Readonly<Record<Channel, number>> = { webhook: 64, push: 16, channel: 16 };

interface Deps {
  readonly webhookChannel: DeliveryChannel;
  readonly pushChannel: DeliveryChannel;
  readonly peopleChannel: DeliveryChannel;
}

/**
 * Sends due deliveries: one after another in the order of the events to each target, to several targets at once. One
 * replica at a time sends to a target, under a lease. An attempt that the process does not survive is repeated.
 */
export class DeliverMessages extends UseCase<'deliveries' | 'leases' | 'owner' | 'clock' | 'log', Deps> {
  readonly #channels: Readonly<Record<Channel, DeliveryChannel>> = {
    webhook: this.deps.webhookChannel,
    push: this.deps.pushChannel,
    channel: this.deps.peopleChannel,
  };
  readonly #busy = new Map<string, Promise<void>>();

  /** Starts with every target that has due deliveries, and does not wait for slow ones. */
  async execute(signal: AbortSignal): Promise<void> {
    for (const channel of CHANNELS) {
      for (const id of await this.deps.deliveries.dueTargets(channel, this.deps.clock.now())) {
        if (signal.aborted) return;
        this.#begin({ channel, id }, signal);
      }
    }
  }

  /** Resolves once all started work has ended. */
  async settled(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values());
  }

  /** Sends due deliveries to one target, unless another process does. Resolves when it is done. */
  async toTarget(target: Target, signal: AbortSignal): Promise<void> {
    // The lease excludes other processes, not this one: wait for its running work.
    const underWay = this.#busy.get(keyOf(target));
    if (underWay) return underWay;
    const sending = this.#underLease(target, signal);
    this.#track(target, sending);
    return sending;
  }

  async #underLease(target: Target, signal: AbortSignal): Promise<void> {
    const lease = keyOf(target);
    if (!(await this.deps.leases.hold(lease, this.deps.owner, LEASE_MS))) return;
    try {
      await this.#drain(target, lease, signal);
    } finally {
      await this.deps.leases.release(lease, this.deps.owner);
    }
  }

  #begin(target: Target, signal: AbortSignal): void {
    const key = keyOf(target);
    const beside = [...this.#busy.keys()].filter((each) => each.startsWith(`${KEY}:${target.channel}:`));
    if (this.#busy.has(key) || beside.length >= AT_ONCE[target.channel]) return;
    const sending = this.#underLease(target, signal).catch((error: unknown) => {
      this.deps.log.warn('could not deliver; retrying', { target: key, error: String(error) });
    });
    this.#track(target, sending);
  }

  #track(target: Target, sending: Promise<void>): void {
    const key = keyOf(target);
    const ended = sending.catch(() => {}).finally(() => this.#busy.delete(key));
    this.#busy.set(key, ended);
  }

  async #drain(target: Target, lease: string, signal: AbortSignal): Promise<void> {
    const open = await this.#channels[target.channel].open(target.id);
    const most = open?.gathers?.most ?? BATCH;
    for (;;) {
      const due = await this.deps.deliveries.due(target, this.deps.clock.now(), most);
      for (const message of await this.#messages(due, open)) {
        if (signal.aborted) return;
        if (!(await this.deps.leases.hold(lease, this.deps.owner, LEASE_MS))) return;
        const [first, ...others] = message;
        const sent =
          others.length > 0 && open?.gathers
            ? await this.#together([first, ...others], open.gathers, signal)
            : await this.#one(first, open, signal);
        if (!sent) return;
      }
      if (due.length < most) return;
    }
  }

  /** The messages that due deliveries make; those whose time has not come are due later. */
  async #messages(
    due: readonly DueDelivery[],
    open: OpenTarget | null,
  ): Promise<readonly (readonly [DueDelivery, ...DueDelivery[]])[]> {
    const gathers = open?.gathers;
    if (!gathers) return due.map((each) => [each]);
    const now = this.deps.clock.now();
    const alone: [DueDelivery][] = [];
    const shared: DueDelivery[] = [];
    for (const delivery of due) {
      const at = gathers.sentAt(delivery, now);
      if (at > now) await this.deps.deliveries.postpone(delivery, at);
      else if (gathers.isShared(delivery)) shared.push(delivery);
      else alone.push([delivery]);
    }
    const [first, ...others] = shared;
    return first === undefined ? alone : [...alone, [first, ...others]];
  }

  /** Several as one message, which is tried again as one. */
  async #together(
    deliveries: readonly [DueDelivery, ...DueDelivery[]],
    gathers: Gathers,
    signal: AbortSignal,
  ): Promise<boolean> {
    const attempt = await gathers.send(deliveries, signal);
    if (signal.aborted && attempt.result !== 'delivered') return false;
    const at = this.deps.clock.now();
    const outcomes = deliveries.map((delivery) => {
      const { attempts, target } = delivery;
      return { delivery, outcome: afterAttempt({ channel: target.channel, attempts }, attempt, at) };
    });
    const again = Math.max(...outcomes.map(({ outcome }) => outcome.dueAt ?? 0));
    const settled = outcomes.map(({ delivery, outcome }) => ({
      delivery,
      outcome: outcome.status === 'pending' ? { ...outcome, dueAt: again } : outcome,
    }));
    await this.deps.deliveries.settleTogether(settled, attempt, at);
    return true;
  }

  /** Whether the next one may follow. */
  async #one(delivery: DueDelivery, open: OpenTarget | null, signal: AbortSignal): Promise<boolean> {
    if (open === null) {
      await this.deps.deliveries.settle(delivery, NOT_WANTED, CANCELLED, this.deps.clock.now());
      return true;
    }
    const attempt = await open.send(delivery, signal);
    // We broke it off ourselves: the receiver is asked again after the next start.
    if (signal.aborted && attempt.result !== 'delivered') return false;
    const at = this.deps.clock.now();
    const { channel } = delivery.target;
    const outcome = afterAttempt({ channel, attempts: delivery.attempts }, attempt, at);
    const settled = await this.deps.deliveries.settle(delivery, attempt, outcome, at);
    if (attempt.result === 'gone') await this.#gone(open);
    if (outcome.status === 'dead') {
      const { error } = outcome;
      this.deps.log.warn('a message was given up', { to: open.name, event: delivery.event.uid, error });
    }
    return settled && attempt.result !== 'gone';
  }

  async #gone(open: OpenTarget): Promise<void> {
    this.deps.log.warn('a receiver is gone for good', { to: open.name });
    await open.gone().catch((error: unknown) => {
      // Someone removed it first.
      if (!isDomainError(error, 'webhook_not_found') && !isDomainError(error, 'subscription_not_found'))
        throw error;
    });
  }
}

const KEY = 'delivery';
const keyOf = ({ channel, id }: Target): string => `${KEY}:${channel}:${id}`;

const NOT_WANTED: Attempt = {
  result: 'failed',
  statusCode: null,
  durationMs: 0,
  error: null,
  retryAfterMs: null,
};
const CANCELLED = {
  status: 'cancelled',
  dueAt: null,
  error: 'The receiver was switched off before delivery.',
} as const;
