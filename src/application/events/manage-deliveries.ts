import type { Actor } from '../../domain/access/actor.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { MINUTE } from '../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import {
  type Delivery,
  type DeliveryStatus,
  deliveryNotFound,
  type Target,
} from '../../domain/events/delivery.ts';
import { UseCase } from '../base/use-case.ts';
import type { DeliverMessages } from './deliver-messages.ts';
import type { ManageChannels } from './manage-channels.ts';
import type { ManageWebhooks } from './manage-webhooks.ts';

const LOOK_AGAIN_MS = 250;
const MAX_WAIT_MS = MINUTE;

interface Deps {
  readonly manageWebhooks: Pick<ManageWebhooks, 'find'>;
  readonly manageChannels: Pick<ManageChannels, 'find'>;
  readonly deliverMessages: Pick<DeliverMessages, 'toTarget'>;
}

/** Results of deliveries, and manual sending. */
export class ManageDeliveries extends UseCase<
  'deliveries' | 'bodies' | 'randomness' | 'clock' | 'subscriptions.find',
  Deps
> {
  /** Newest first; of one webhook or channel, or of all webhooks. Throws `role_missing`, `webhook_not_found`, `channel_not_found`. */
  async list(
    actor: Actor,
    query: PageRequest & {
      readonly webhook?: string | undefined;
      readonly channel?: string | undefined;
      readonly status?: DeliveryStatus | undefined;
    },
  ): Promise<Page<Delivery>> {
    actor.requireRole('administrator');
    const { webhook, channel, status, limit, offset } = query;
    const of =
      webhook !== undefined
        ? { target: targetOf(await this.deps.manageWebhooks.find(actor, webhook)) }
        : channel !== undefined
          ? { target: channelTarget(await this.deps.manageChannels.find(actor, channel)) }
          : ({ channel: 'webhook' } as const);
    const filter = { ...of, ...(status && { status }) };
    return this.deps.deliveries.list(filter, { limit, offset });
  }

  /**
   * Sends a test event, and returns the result. Makes its first attempt immediately, even if no service runs. Throws
   * `role_missing`, `webhook_not_found`.
   */
  async ping(actor: Actor, name: string, signal: AbortSignal): Promise<Delivery> {
    const webhook = await this.deps.manageWebhooks.find(actor, name);
    const test = {
      action: 'webhook.ping',
      target: targetOf(webhook),
      what: `the webhook ${name}`,
      detail: { name },
    };
    return this.#test(actor, test, signal);
  }

  /** As `ping`, to a channel. Throws `role_missing`, `channel_not_found`. */
  async pingChannel(actor: Actor, name: string, signal: AbortSignal): Promise<Delivery> {
    const channel = await this.deps.manageChannels.find(actor, name);
    const test = {
      action: 'channel.test',
      target: channelTarget(channel),
      what: `the channel ${name}`,
      detail: { name },
    };
    return this.#test(actor, test, signal);
  }

  /** As `ping`, to one of the user's browsers. Throws `subscription_not_found`. */
  async pingBrowser(actor: Actor, id: number, signal: AbortSignal): Promise<Delivery> {
    const found = await this.deps.subscriptions.find(id);
    if (!found || found.ownerId !== actor.id)
      throw new DomainError('subscription_not_found', 'This browser is not subscribed.');
    const target = { channel: 'push', id } as const;
    return this.#test(actor, { action: 'push.ping', target, what: 'this browser', detail: {} }, signal);
  }

  async #test(
    actor: Actor,
    test: {
      readonly action: string;
      readonly target: Target;
      readonly what: string;
      readonly detail: object;
    },
    signal: AbortSignal,
  ): Promise<Delivery> {
    const { action, target, what, detail } = test;
    const at = this.deps.clock.now();
    const event = {
      uid: this.deps.randomness.uuid(),
      type: 'ping',
      at,
      severity: 'info',
      title: 'A test',
      message: `${actor.label} sent this test to check that ${what} receives events.`,
      serverId: null,
      jobId: null,
    } as const;
    const body = this.deps.bodies.render(event, { server: null, job: null });
    const audit = [auditEntry(actor, at, action, `${target.channel}:${target.id}`, { ...detail })];
    return this.#tried(await this.deps.deliveries.send(event, body, target, { audit }), signal);
  }

  /** One delivery to a webhook or channel, with its content. Throws `role_missing`, `delivery_not_found`. */
  async get(actor: Actor, id: number): Promise<{ readonly delivery: Delivery; readonly body: string }> {
    actor.requireRole('administrator');
    const delivery = await this.#listed(id);
    return { delivery, body: (await this.deps.deliveries.bodyOf(id)) ?? '' };
  }

  /** Sends one again, under the same name as before. Throws `role_missing`, `delivery_not_found`. */
  async resend(actor: Actor, id: number, signal: AbortSignal): Promise<Delivery> {
    actor.requireRole('administrator');
    const delivery = await this.#listed(id);
    const at = this.deps.clock.now();
    const entry = auditEntry(actor, at, `${delivery.target.channel}.resend`, `delivery:${id}`, {
      event: delivery.event.uid,
    });
    return this.#tried(await this.deps.deliveries.resend(id, at, { audit: [entry] }), signal);
  }

  /** Those to browsers belong to their users. */
  async #listed(id: number): Promise<Delivery> {
    const delivery = await this.deps.deliveries.find(id);
    if (!delivery || delivery.target.channel === 'push') throw deliveryNotFound(id);
    return delivery;
  }

  /** The delivery after its first try, which another process may make. */
  async #tried(delivery: Delivery, signal: AbortSignal): Promise<Delivery> {
    const until = this.deps.clock.now() + MAX_WAIT_MS;
    for (;;) {
      await this.deps.deliverMessages.toTarget(delivery.target, signal);
      const now = await this.deps.deliveries.find(delivery.id);
      if (!now) throw deliveryNotFound(delivery.id);
      if (now.attempts > 0 || signal.aborted || this.deps.clock.now() >= until) return now;
      await this.deps.clock.sleep(LOOK_AGAIN_MS, signal);
    }
  }
}

const targetOf = ({ id }: { readonly id: number }): Target => ({ channel: 'webhook', id });
const channelTarget = ({ id }: { readonly id: number }): Target => ({ channel: 'channel', id });
