import type { Container } from 'inversify';
import { ApplyEnvironmentWebhook } from '../../../application/events/apply-environment-webhook.ts';
import { DeliverMessages } from '../../../application/events/deliver-messages.ts';
import { ForgetEvents } from '../../../application/events/forget-events.ts';
import { HandOutEvents } from '../../../application/events/hand-out-events.ts';
import { ListNotifications } from '../../../application/events/list-notifications.ts';
import { ManageAlerts } from '../../../application/events/manage-alerts.ts';
import { ManageDeliveries } from '../../../application/events/manage-deliveries.ts';
import { ManagePush } from '../../../application/events/manage-push.ts';
import { ManageWebhooks } from '../../../application/events/manage-webhooks.ts';
import { PushChannel } from '../../../application/events/push-channel.ts';
import { PushIdentity } from '../../../application/events/push-identity.ts';
import { WebhookChannel } from '../../../application/events/webhook-channel.ts';
import { WatchConditions } from '../../../application/fleet/watch-conditions.ts';
import { RestEventBodies } from '../../inbound/api/event-bodies.ts';
import { HttpPoster } from '../../outbound/notifications/http-poster.ts';
import { HttpWebhookSender } from '../../outbound/notifications/http-webhook-sender.ts';
import { WebPushSender } from '../../outbound/notifications/web-push-sender.ts';
import { bindClass } from '../binding.ts';
import { PORTS, SHARED, USE_CASES, VALUES } from '../tokens.ts';

const { notifications, webhooks, subscriptions, deliveries, bodies, poster, pushSender } = PORTS;
const { servers, jobs, leases, settings, box, randomness, digest, clock, log } = PORTS;
const { webhookChannel, pushChannel, pushIdentity: identity } = SHARED;

/** What is wrong, and who is told of it. */
export function bindAlerts(container: Container): void {
  bindWaysOut(container);
  bindClass(container, USE_CASES.listNotifications, ListNotifications, { notifications });
  bindClass(container, USE_CASES.manageAlerts, ManageAlerts, { notifications, servers, clock });
  bindClass(container, USE_CASES.watchConditions, WatchConditions, {
    watch: PORTS.watch,
    notifications,
    clock,
    clockWatch: SHARED.clockWatch,
    backupStaleHours: VALUES.backupStaleHours,
    kept: VALUES.kept,
  });
  bindClass(container, USE_CASES.handOutEvents, HandOutEvents, {
    deliveries,
    webhooks,
    subscriptions,
    notifications,
    users: PORTS.users,
    servers,
    jobs,
    bodies,
    clock,
  });
  bindClass(container, USE_CASES.deliverMessages, DeliverMessages, {
    deliveries,
    webhookChannel,
    pushChannel,
    leases,
    owner: VALUES.owner,
    clock,
    log,
  });
  bindClass(container, USE_CASES.forgetEvents, ForgetEvents, { deliveries, clock, kept: VALUES.kept });
  bindWebhooks(container);
  bindClass(container, USE_CASES.managePush, ManagePush, {
    subscriptions,
    sender: pushSender,
    identity,
    box,
    digest,
    clock,
  });
}

/** What sends. */
function bindWaysOut(container: Container): void {
  const { allowPrivate, publicUrl } = VALUES;
  bindClass(container, bodies, RestEventBodies, { publicUrl });
  bindClass(container, poster, HttpPoster, { allowPrivate });
  bindClass(container, PORTS.webhookSender, HttpWebhookSender, { poster });
  bindClass(container, pushSender, WebPushSender, { poster, allowPrivate, publicUrl });
  bindClass(container, identity, PushIdentity, { settings, box, sender: pushSender });
  bindClass(container, webhookChannel, WebhookChannel, {
    webhooks,
    sender: PORTS.webhookSender,
    box,
    clock,
  });
  bindClass(container, pushChannel, PushChannel, {
    subscriptions,
    sender: pushSender,
    identity,
    bodies,
    box,
  });
}

function bindWebhooks(container: Container): void {
  const { allowPrivate, environmentWebhook } = VALUES;
  bindClass(container, USE_CASES.manageWebhooks, ManageWebhooks, {
    webhooks,
    box,
    randomness,
    clock,
    allowPrivate,
  });
  bindClass(container, USE_CASES.manageDeliveries, ManageDeliveries, {
    deliveries,
    webhooks: USE_CASES.manageWebhooks,
    subscriptions,
    deliver: USE_CASES.deliverMessages,
    bodies,
    randomness,
    clock,
  });
  bindClass(container, USE_CASES.applyEnvironmentWebhook, ApplyEnvironmentWebhook, {
    webhooks,
    box,
    clock,
    environmentWebhook,
  });
}
