import type { FieldValues } from '../../../domain/events/channels/channel-kind.ts';
import type { ChannelKindName } from '../../../domain/events/channels/channel-kinds.ts';
import type { ChannelMessage } from '../../../domain/events/channels/channel-message.ts';
import type { Attempt } from '../../../domain/events/delivery.ts';

export interface ChannelTarget {
  readonly kind: ChannelKindName;
  /** With the secrets. */
  readonly values: FieldValues;
  readonly allowPrivate: boolean;
}

/**
 * Connects once, as the service of the channel expects it, only to allowed addresses, and waits 15 seconds at most. The
 * error of an attempt says what to do in Drover's words: it contains neither secrets nor text of the service. Never
 * throws.
 */
export interface ChannelSender {
  /** Sends a message. A heartbeat is only called. */
  send(target: ChannelTarget, message: ChannelMessage, signal: AbortSignal): Promise<Attempt>;
  /** Calls a heartbeat. */
  call(target: ChannelTarget, signal: AbortSignal): Promise<Attempt>;
}
