import { RestEventBodies } from '../../inbound/api/event-bodies.ts';
import { ChannelSenders } from '../../outbound/notifications/channel-senders.ts';
import { HttpPoster } from '../../outbound/notifications/http-poster.ts';
import { HttpWebhookSender } from '../../outbound/notifications/http-webhook-sender.ts';
import { SmtpSender } from '../../outbound/notifications/smtp-sender.ts';
import { WebPushSender } from '../../outbound/notifications/web-push-sender.ts';
import { OpenidProviders } from '../../outbound/oidc/openid-providers.ts';
import type { Makers } from '../program.ts';

/** Messages, and other requests to servers of other people. */
export const messagePorts = {
  bodies: (parts) => new RestEventBodies(parts),
  poster: (parts) => new HttpPoster(parts),
  webhookSender: (parts) => new HttpWebhookSender(parts),
  channelSender: (parts) => new ChannelSenders({ poster: parts.poster, smtp: new SmtpSender(parts) }),
  identityProviders: ({ poster }) => new OpenidProviders({ http: poster }),
  pushSender: (parts) => new WebPushSender(parts),
} satisfies Partial<Makers>;
