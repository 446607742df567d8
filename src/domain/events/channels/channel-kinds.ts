import { MINUTE } from '../../base/instant.ts';
import type { BrokerKind, HeartbeatKind, HttpKind, SmtpKind } from './channel-kind.ts';
import { DISCORD, MATRIX, TEAMS, TELEGRAM } from './chat-kinds.ts';
import { EMAIL } from './mail-kind.ts';
import { HOME_ASSISTANT } from './mqtt-kind.ts';
import { APPRISE, GOTIFY, NTFY, PUSHOVER } from './push-kinds.ts';
import { SLACK } from './slack-kind.ts';

/**
 * https://healthchecks.io/docs/http_api/, success; Uptime Kuma, monitor type "Push". Other services for dead man's
 * switches are called in the same way.
 */
const HEARTBEAT: HeartbeatKind = {
  title: 'Heartbeat',
  noEvents: 'none, it is called regularly',
  help: 'Calls Healthchecks, Uptime Kuma or another service regularly. It alerts you when the calls stop.',
  fields: [
    {
      name: 'url',
      label: 'URL',
      help: 'The ping URL of the check or push monitor.',
      type: 'url',
      secret: true,
    },
    {
      name: 'minutes',
      label: 'Minutes between calls',
      help: 'Expect a call in the other service at this interval. Empty: 5',
      optional: true,
      otherwise: '5',
      form: { pattern: /^(?:[1-9]|[1-5]\d|60)$/, message: 'A number from 1 to 60.' },
    },
  ],
  shown: ({ url = '' }) => new URL(url).host,
  url: ({ url = '' }) => url,
  everyMs: ({ minutes }) => Number(minutes) * MINUTE,
  hint: (status) => (status === 404 || status === 410 ? 'The check or monitor does not exist.' : null),
};

/** All kinds of channels, in the order of the choice. The names are stored. */
export const CHANNEL_KINDS = {
  email: EMAIL,
  ntfy: NTFY,
  gotify: GOTIFY,
  slack: SLACK,
  discord: DISCORD,
  telegram: TELEGRAM,
  matrix: MATRIX,
  teams: TEAMS,
  pushover: PUSHOVER,
  apprise: APPRISE,
  heartbeat: HEARTBEAT,
  mqtt: HOME_ASSISTANT,
} as const satisfies Record<string, ChannelKind>;

export type ChannelKindName = keyof typeof CHANNEL_KINDS;
export type ChannelKind = HttpKind | SmtpKind | HeartbeatKind | BrokerKind;

export const CHANNEL_KIND_NAMES = Object.keys(CHANNEL_KINDS) as readonly ChannelKindName[];

/** Whether channels of a kind send events; others need no filter. */
export const sendsEvents = (kind: ChannelKind): kind is HttpKind | SmtpKind => !('noEvents' in kind);

export const isChannelKind = (name: string): name is ChannelKindName => Object.hasOwn(CHANNEL_KINDS, name);
