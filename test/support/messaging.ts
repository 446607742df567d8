import { RestEventBodies } from '../../src/adapters/inbound/api/event-bodies.ts';
import { ChannelSenders } from '../../src/adapters/outbound/notifications/channel-senders.ts';
import { HttpPoster, type PosterOptions } from '../../src/adapters/outbound/notifications/http-poster.ts';
import { HttpWebhookSender } from '../../src/adapters/outbound/notifications/http-webhook-sender.ts';
import { MqttBroker } from '../../src/adapters/outbound/notifications/mqtt-broker.ts';
import { SmtpSender } from '../../src/adapters/outbound/notifications/smtp-sender.ts';
import { WebPushSender } from '../../src/adapters/outbound/notifications/web-push-sender.ts';
import { NodeDigest } from '../../src/adapters/outbound/system/node-digest.ts';
import { SystemRandomness } from '../../src/adapters/outbound/system/system-randomness.ts';
import { DeliverMessages } from '../../src/application/events/deliver-messages.ts';
import { HandOutEvents } from '../../src/application/events/hand-out-events.ts';
import { ManageAlerts } from '../../src/application/events/manage-alerts.ts';
import { ManageChannels } from '../../src/application/events/manage-channels.ts';
import { ManageDeliveries } from '../../src/application/events/manage-deliveries.ts';
import { ManagePush } from '../../src/application/events/manage-push.ts';
import { ManageWebhooks } from '../../src/application/events/manage-webhooks.ts';
import { PeopleChannel } from '../../src/application/events/people-channel.ts';
import { PushChannel } from '../../src/application/events/push-channel.ts';
import { PushIdentity } from '../../src/application/events/push-identity.ts';
import { WebhookChannel } from '../../src/application/events/webhook-channel.ts';
import { WeeklyReports } from '../../src/application/events/weekly-reports.ts';
import { WatchConditions } from '../../src/application/fleet/watch-conditions.ts';
import type { Clock } from '../../src/application/ports/base/clock.ts';
import { Actor } from '../../src/domain/access/actor.ts';
import type { DomainEvent } from '../../src/domain/events/event.ts';
import { FakeCronClock } from '../fakes/fake-cron-clock.ts';
import { PlainSecretBox } from '../fakes/plain-secret-box.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import { newServer, type StoresSubject } from './stores-subject.ts';

const NEVER = new AbortController().signal;

type Stores = Pick<
  StoresSubject,
  | 'users'
  | 'tokens'
  | 'servers'
  | 'jobs'
  | 'settings'
  | 'leases'
  | 'notifications'
  | 'watch'
  | 'webhooks'
  | 'alertChannels'
  | 'subscriptions'
  | 'deliveries'
  | 'selection'
  | 'fleetBackups'
>;

/** Everything about events, over some stores, with a sender that speaks real HTTP. */
export function messagingOf(
  stores: Stores,
  clock: Clock,
  options: Partial<PosterOptions> & { readonly owner?: string } = {},
) {
  const { allowPrivate = true, owner = 'me' } = options;
  const poster = new HttpPoster({ ...options, allowPrivate });
  const box = new PlainSecretBox();
  const randomness = new SystemRandomness();
  const log = new RecordingLogger();
  const bodies = new RestEventBodies({ publicUrl: 'https://drover.example.org' });
  const pushSender = new WebPushSender({ poster, allowPrivate, publicUrl: null });
  const identity = new PushIdentity({ settings: stores.settings, box, pushSender: pushSender });
  const cron = new FakeCronClock();
  const digest = new NodeDigest();
  const shared = { ...stores, clock, cron, digest, box, randomness, log, bodies, owner };
  const channelSender = new ChannelSenders({
    poster,
    smtp: new SmtpSender({ allowPrivate }),
    broker: new MqttBroker({ allowPrivate }),
  });
  const deliver = new DeliverMessages({
    ...shared,
    webhookChannel: new WebhookChannel({ ...shared, webhookSender: new HttpWebhookSender({ poster }) }),
    peopleChannel: new PeopleChannel({ ...shared, channelSender }),
    pushChannel: new PushChannel({ ...shared, pushSender: pushSender, pushIdentity: identity }),
  });
  const manageWebhooks = new ManageWebhooks({ ...shared, allowPrivate });
  const manageChannels = new ManageChannels({ ...shared, allowPrivate });
  const handOut = new HandOutEvents(shared);
  let events = 0;
  return {
    log,
    bodies,
    randomness,
    box,
    poster,
    channelSender,
    deliver,
    handOut,
    manageWebhooks,
    manageChannels,
    webhooks: stores.webhooks,
    alertChannels: stores.alertChannels,
    manageAlerts: new ManageAlerts(shared),
    manageDeliveries: new ManageDeliveries({
      ...shared,
      manageWebhooks,
      manageChannels,
      deliverMessages: deliver,
    }),
    weeklyReports: new WeeklyReports({ ...shared, manageChannels, backupStaleHours: 36 }),
    managePush: new ManagePush({
      ...shared,
      pushSender: pushSender,
      pushIdentity: identity,
    }),
    watch: new WatchConditions({
      ...shared,
      clockWatch: { holdsBack: async () => false },
      backupStaleHours: 36,
      kept: { notifications: 90 },
    }),
    operator: Actor.operator('cli:tester'),
    /** Writes an event, with a server that it is about. */
    tell: async ({
      tags = [],
      ...over
    }: Partial<DomainEvent> & { readonly tags?: readonly string[] } = {}): Promise<number> => {
      events += 1;
      const at = clock.now();
      const told = { ...newServer(`told-${owner}-${events}`), tags };
      const { id } = await stores.servers.add(told, at, (server) => ({
        events: [
          {
            type: 'server.recovered',
            at,
            severity: 'info',
            title: `event ${events}`,
            message: 'It happened.',
            serverId: server.id,
            jobId: null,
            ...over,
          },
        ],
      }));
      return id;
    },
    /** One run of the loops, to the end of its work. */
    look: async (): Promise<void> => {
      await handOut.execute(NEVER);
      await deliver.execute(NEVER);
      await deliver.settled();
    },
  };
}

export type Messaging = ReturnType<typeof messagingOf>;
