import type { Instant } from '../../base/instant.ts';
import type { EventFilter } from '../event-filter.ts';
import type { FieldValues } from './channel-kind.ts';
import type { ChannelKindName } from './channel-kinds.ts';

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
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type NewAlertChannel = Omit<AlertChannel, 'id' | 'sealedSecrets' | 'updatedAt'>;
export type AlertChannelChange = Partial<
  Omit<AlertChannel, 'id' | 'kind' | 'createdBy' | 'createdAt' | 'updatedAt'>
>;
