import type { ChannelSender } from '../../application/ports/events/channel-sender.ts';
import type { PushSender } from '../../application/ports/events/push-sender.ts';
import type { WebhookSender } from '../../application/ports/events/webhook-sender.ts';
import type { Attempt } from '../../domain/events/delivery.ts';

/** What a receiver of the demo answers. */
export const ACCEPTED: Attempt = {
  result: 'delivered',
  statusCode: 200,
  durationMs: 120,
  error: null,
  retryAfterMs: null,
};

/** Receivers that do not exist: they accept each message, and nothing leaves the machine. */
export const DEMO_SENDERS: {
  readonly channelSender: ChannelSender;
  readonly pushSender: Pick<PushSender, 'send'>;
  readonly webhookSender: WebhookSender;
} = {
  channelSender: {
    send: async () => ({ ...ACCEPTED, ref: null }),
    replace: async () => ACCEPTED,
    call: async () => ACCEPTED,
  },
  pushSender: { send: async () => ACCEPTED },
  webhookSender: { send: async () => ACCEPTED },
};
