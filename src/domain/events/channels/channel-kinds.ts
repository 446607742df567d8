import type { HeartbeatKind, HttpKind, SmtpKind } from './channel-kind.ts';
import { DISCORD, MATRIX, SLACK, TEAMS, TELEGRAM } from './chat-kinds.ts';
import { HEARTBEAT } from './heartbeat-kind.ts';
import { EMAIL } from './mail-kind.ts';
import { APPRISE, GOTIFY, NTFY, PUSHOVER } from './push-kinds.ts';

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
} as const satisfies Record<string, ChannelKind>;

export type ChannelKindName = keyof typeof CHANNEL_KINDS;
export type ChannelKind = HttpKind | SmtpKind | HeartbeatKind;

export const CHANNEL_KIND_NAMES = Object.keys(CHANNEL_KINDS) as readonly ChannelKindName[];

/** Whether channels of a kind send events; others need no filter. */
export const sendsEvents = (kind: ChannelKind): kind is HttpKind | SmtpKind => !('everyMs' in kind);

export const isChannelKind = (name: string): name is ChannelKindName => Object.hasOwn(CHANNEL_KINDS, name);
