import type { Instant } from '../../../domain/base/instant.ts';
import type {
  AlertChannel,
  AlertChannelChange,
  NewAlertChannel,
} from '../../../domain/events/channels/alert-channel.ts';
import type { ChangeRecord } from './change-record.ts';

/** Channels of alerts, of which there are few. */
export interface AlertChannelStore {
  /** `seal`: the encrypted secrets, bound to the id. Throws `name_taken`. */
  add(
    channel: NewAlertChannel,
    seal: (id: number) => string,
    record: (channel: AlertChannel) => ChangeRecord,
  ): Promise<AlertChannel>;
  findByName(name: string): Promise<AlertChannel | null>;
  /** All, by name. */
  list(): Promise<readonly AlertChannel[]>;
  /**
   * Changes only the given fields. Disabling a channel cancels its pending deliveries, in the same transaction.
   * Throws `channel_not_found`, `name_taken`.
   */
  change(
    id: number,
    change: AlertChannelChange,
    at: Instant,
    record: (channel: AlertChannel) => ChangeRecord,
  ): Promise<AlertChannel>;
  /** Includes past and pending deliveries. Throws `channel_not_found`. */
  remove(id: number, record: ChangeRecord): Promise<void>;
}
