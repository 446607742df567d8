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

/** The result of sending a message. */
export interface Sent extends Attempt {
  /** How the service calls the message, if it can be replaced later. */
  readonly ref: string | null;
}

/**
 * Connects once, as the service of the channel expects it, only to allowed addresses, and waits 15 seconds at most. The
 * error of an attempt says what to do in Drover's words: it contains neither secrets nor text of the service. Never
 * throws.
 */
export interface ChannelSender {
  /** Sends a message. A heartbeat is only called. */
  send(target: ChannelTarget, message: ChannelMessage, signal: AbortSignal): Promise<Sent>;
  /** Replaces a message. `null`: it does not exist any longer, or cannot be replaced. */
  replace(
    target: ChannelTarget,
    ref: string,
    message: ChannelMessage,
    signal: AbortSignal,
  ): Promise<Attempt | null>;
  /** Calls a heartbeat. */
  call(target: ChannelTarget, signal: AbortSignal): Promise<Attempt>;
}
