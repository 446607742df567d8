import type { Instant } from '../../../domain/base/instant.ts';
import type {
  AlertChannel,
  AlertChannelChange,
  NewAlertChannel,
  SentMessage,
} from '../../../domain/events/channels/alert-channel.ts';
import type { WrittenEvent } from '../../../domain/events/event.ts';
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
   * Changes only the given fields. Disabling a channel cancels its pending deliveries, in the same transaction; a new
   * timing makes those due that wait for their time, and new secrets delete the references to its messages. Throws `channel_not_found`, `name_taken`.
   */
  change(
    id: number,
    change: AlertChannelChange,
    at: Instant,
    record: (channel: AlertChannel) => ChangeRecord,
  ): Promise<AlertChannel>;
  /** The messages of all channels about these problems. */
  messagesAbout(problems: readonly string[]): Promise<readonly SentMessage[]>;
  /** Replaces the one about the same problem. */
  keepMessage(message: SentMessage): Promise<void>;
  forgetMessages(channelId: number, problems: readonly string[]): Promise<void>;
  /**
   * Writes an event for the channel alone and moves its next report, in one transaction. Does nothing if the channel was
   * disabled, or its next report has moved: another process sent this one.
   */
  sendReport(
    channel: Pick<AlertChannel, 'id' | 'reportAt'>,
    next: Instant | null,
    event: Omit<WrittenEvent, 'id'>,
    body: string,
  ): Promise<void>;
  /** Includes past and pending deliveries. Throws `channel_not_found`. */
  remove(id: number, record: ChangeRecord): Promise<void>;
}
