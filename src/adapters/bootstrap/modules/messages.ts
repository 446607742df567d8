import { RestEventBodies } from '../../inbound/api/event-bodies.ts';
import { HttpPoster } from '../../outbound/notifications/http-poster.ts';
import { HttpWebhookSender } from '../../outbound/notifications/http-webhook-sender.ts';
import { WebPushSender } from '../../outbound/notifications/web-push-sender.ts';
import type { Makers } from '../program.ts';

/** Sending of messages. */
export const messagePorts = {
  bodies: (parts) => new RestEventBodies(parts),
  poster: (parts) => new HttpPoster(parts),
  webhookSender: (parts) => new HttpWebhookSender(parts),
  pushSender: (parts) => new WebPushSender(parts),
} satisfies Partial<Makers>;
