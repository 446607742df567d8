import type { Instant } from '../../base/instant.ts';
import type { Severity } from '../event.ts';
import type { EventFilter } from '../event-filter.ts';
import type { FieldValues } from './channel-kind.ts';
import type { ChannelKindName } from './channel-kinds.ts';
import type { ChannelTiming } from './channel-timing.ts';

export const MAX_CHANNELS = 50;

/** A receiver of alerts that people read: a chat, a phone, a mailbox. */
export interface AlertChannel {
  readonly id: number;
  readonly name: string;
  readonly kind: ChannelKindName;
  /** Without secrets. */
  readonly fields: FieldValues;
  /** The secret fields as JSON. */
  readonly sealedSecrets: string;
  /** The destination without secrets. */
  readonly shownTarget: string;
  readonly filter: EventFilter;
  /** An administrator allowed loopback and private addresses. */
  readonly allowPrivate: boolean;
  readonly enabled: boolean;
  readonly timing: ChannelTiming;
  /** When the next weekly report is due; `null`: never. */
  readonly reportAt: Instant | null;
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The message of a channel about a problem that is not over. */
export interface SentMessage {
  readonly channelId: number;
  readonly problem: string;
  /** How the service calls it. */
  readonly ref: string;
  readonly severity: Severity;
  readonly at: Instant;
}

export type NewAlertChannel = Omit<AlertChannel, 'id' | 'sealedSecrets' | 'updatedAt'>;
export type AlertChannelChange = Partial<
  Omit<AlertChannel, 'id' | 'kind' | 'createdBy' | 'createdAt' | 'updatedAt'>
>;
