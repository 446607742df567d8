import type { Knex } from 'knex';
import { z } from 'zod';
import type { AlertChannelStore } from '../../../../../application/ports/events/alert-channel-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { AlertChannel, SentMessage } from '../../../../../domain/events/channels/alert-channel.ts';
import { channelNotFound } from '../../../../../domain/events/channels/channel-fields.ts';
import type { ChannelKindName } from '../../../../../domain/events/channels/channel-kinds.ts';
import { AT_ONCE, type ChannelTiming } from '../../../../../domain/events/channels/channel-timing.ts';
import type { Severity } from '../../../../../domain/events/event.ts';
import { SqlStore } from '../database.ts';
import {
  columns,
  flag,
  int,
  json,
  oneOf,
  orElse,
  orNull,
  type Row,
  shortText,
  text,
} from '../tables/columns.ts';
import { filter } from '../tables/webhook-row.ts';
import { cancelPending, sendTo } from './delivery-writes.ts';
import { NamedRows } from './named-rows.ts';

const Timing: z.ZodType<ChannelTiming> = z.object({
  timeZone: z.string(),
  report: z.object({ day: z.int(), at: z.string() }).nullable(),
  quiet: z.object({ from: z.string(), until: z.string() }).nullable(),
  digest: z
    .discriminatedUnion('every', [
      z.object({ every: z.literal('hour') }),
      z.object({ every: z.literal('day'), at: z.string() }),
    ])
    .nullable(),
  criticalAtOnce: z.boolean(),
});

const TABLE = 'alert_channels';
const CHANNELS = columns({
  id: int,
  name: text,
  kind: oneOf<ChannelKindName>(),
  fields: json(z.record(z.string(), z.string())),
  sealedSecrets: text,
  shownTarget: text,
  filter,
  allowPrivate: flag,
  enabled: flag,
  timing: orElse(json<ChannelTiming>(Timing), AT_ONCE),
  reportAt: orNull(int),
  createdBy: shortText,
  createdAt: int,
  updatedAt: int,
});
const ROWS = new NamedRows<Row<typeof CHANNELS>, AlertChannel>({
  table: TABLE,
  columns: CHANNELS.names,
  read: CHANNELS.read,
  notFound: channelNotFound,
  taken: (name) => `There is a channel named "${name}" already; choose another name.`,
});

const MESSAGES = 'channel_messages';
const SENT = columns({ channelId: int, problem: text, ref: text, severity: oneOf<Severity>(), at: int });

export class SqlAlertChannelStore extends SqlStore implements AlertChannelStore {
  async add(...[channel, seal, record]: Parameters<AlertChannelStore['add']>): Promise<AlertChannel> {
    // The encrypted text is bound to the row's id, which is not known yet.
    const unsealed = { ...channel, sealedSecrets: '', updatedAt: channel.createdAt };
    return this.database.transaction(async (trx) => {
      const id = await ROWS.insert(trx, channel.name, CHANNELS.write(unsealed));
      await trx(TABLE)
        .where({ id })
        .update({ sealed_secrets: seal(id) });
      return ROWS.left(trx, id, record);
    });
  }

  async findByName(name: string): Promise<AlertChannel | null> {
    return ROWS.find(this.database.knex, { name });
  }

  async list(): Promise<readonly AlertChannel[]> {
    return ROWS.list(this.database.knex);
  }

  async change(...[id, change, at, record]: Parameters<AlertChannelStore['change']>): Promise<AlertChannel> {
    return this.database.transaction(async (trx) => {
      const row = CHANNELS.write({ ...change, updatedAt: at });
      const changed = await ROWS.refusing(trx(TABLE).where({ id }).update(row), change.name ?? '');
      if (changed === 0) throw ROWS.missing(id);
      if (change.enabled === false) await cancelPending(trx, { channel: 'channel', id });
      if (change.timing !== undefined) await release(trx, id, at);
      // The service may be another one now.
      if (change.sealedSecrets !== undefined) await trx(MESSAGES).where({ channel_id: id }).delete();
      return ROWS.left(trx, id, record);
    });
  }

  async messagesAbout(problems: readonly string[]): Promise<readonly SentMessage[]> {
    if (problems.length === 0) return [];
    const rows: Row<typeof SENT>[] = await this.database
      .knex(MESSAGES)
      .whereIn('problem', problems)
      .select(SENT.names);
    return rows.map(SENT.read);
  }

  async keepMessage(message: SentMessage): Promise<void> {
    await this.database.write((knex) =>
      knex(MESSAGES).insert(SENT.write(message)).onConflict(['channel_id', 'problem']).merge(),
    );
  }

  async forgetMessages(channelId: number, problems: readonly string[]): Promise<void> {
    if (problems.length === 0) return;
    await this.database.write((knex) =>
      knex(MESSAGES).where({ channel_id: channelId }).whereIn('problem', problems).delete(),
    );
  }

  async sendReport(
    ...[channel, next, event, body]: Parameters<AlertChannelStore['sendReport']>
  ): Promise<void> {
    const { id, reportAt } = channel;
    await this.database.transaction(async (trx) => {
      const due = trx(TABLE).where({ id, report_at: reportAt, enabled: 1 });
      if ((await due.update({ report_at: next })) > 0)
        await sendTo(trx, { channel: 'channel', id }, event, body);
    });
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      await ROWS.remove(trx, id, record);
      await trx('deliveries').where({ channel: 'channel', target_id: id }).delete();
    });
  }
}

/** Makes messages due that wait for another time, so that it is decided again how long they wait. */
async function release(trx: Knex, id: number, at: Instant): Promise<void> {
  await trx('deliveries')
    .where({ channel: 'channel', target_id: id, status: 'pending', attempts: 0 })
    .where('due_at', '>', at)
    .update({ due_at: at });
}
