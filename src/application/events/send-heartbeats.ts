import { type Instant, SECOND } from '../../domain/base/instant.ts';
import type { AlertChannel } from '../../domain/events/channels/alert-channel.ts';
import { withDefaults } from '../../domain/events/channels/channel-fields.ts';
import {
  CHANNEL_KINDS,
  type ChannelKind,
  isChannelKind,
} from '../../domain/events/channels/channel-kinds.ts';
import { UseCase } from '../base/use-case.ts';
import { channelSecrets } from './people-channel.ts';

/** Calls are at most this much early, so that they do not drift by the pause between two looks. */
const EARLY_MS = 8 * SECOND;

/** Calls the services that alert users when Drover no longer runs. Nothing is called while the database is down. */
export class SendHeartbeats extends UseCase<
  'box' | 'clock' | 'log' | 'alertChannels.list' | 'channelSender.call'
> {
  /** By channel. Another process starts over: a call too many does no harm. */
  readonly #calledAt = new Map<number, Instant>();
  readonly #failing = new Set<number>();

  async execute(signal: AbortSignal): Promise<void> {
    const channels = await this.deps.alertChannels.list();
    const now = this.deps.clock.now();
    const due = channels.filter((each) => each.enabled && this.#isDue(each, now));
    await Promise.all(due.map((each) => this.#call(each, now, signal)));
  }

  #isDue({ id, kind, fields }: AlertChannel, now: Instant): boolean {
    if (!isChannelKind(kind)) return false;
    const described: ChannelKind = CHANNEL_KINDS[kind];
    if (!('everyMs' in described)) return false;
    const calledAt = this.#calledAt.get(id);
    // A clock that was set back starts over.
    if (calledAt === undefined || calledAt > now) return true;
    return now - calledAt >= described.everyMs(withDefaults(described, fields)) - EARLY_MS;
  }

  async #call(channel: AlertChannel, now: Instant, signal: AbortSignal): Promise<void> {
    const { id, name, kind, fields, allowPrivate } = channel;
    const { box, channelSender, log } = this.deps;
    this.#calledAt.set(id, now);
    const values = { ...fields, ...channelSecrets(channel, box) };
    const { error } = await channelSender.call({ kind, values, allowPrivate }, signal);
    if (signal.aborted) return;
    if (error === null) {
      if (this.#failing.delete(id)) log.info('a heartbeat arrives again', { channel: name });
    } else if (!this.#failing.has(id)) {
      this.#failing.add(id);
      log.warn('a heartbeat was not accepted; it is repeated', { channel: name, error });
    }
  }
}
