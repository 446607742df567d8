import type { GaugeSource } from '../../../../../application/ports/service/gauge-source.ts';
import { NOTIFICATION_KINDS, type NotificationKind } from '../../../../../domain/events/notification.ts';
import type { GaugeMoments, Gauges, ServerGauges } from '../../../../../domain/fleet/gauges.ts';
import type { Database } from '../database.ts';
import { EndedJobCounts } from './ended-job-counts.ts';
import { jobGauges } from './job-gauges.ts';
import { eachServer, serverGauges } from './server-gauges.ts';

/** One for each process: it remembers what it counted of jobs that have ended. */
export class SqlGaugeSource implements GaugeSource {
  readonly #database: Database;
  readonly #ended: EndedJobCounts;

  constructor(database: Database) {
    this.#database = database;
    this.#ended = new EndedJobCounts(database.knex);
  }

  /** One query after the other: a scrape is to take one connection, and not all that others need. */
  async read(moments: GaugeMoments): Promise<Gauges> {
    const { knex } = this.#database;
    return {
      ...(await serverGauges(knex, moments)),
      jobs: await jobGauges(knex, this.#ended, moments),
      approvals: { waiting: await this.#approvals() },
      notifications: { openByType: await this.#notifications() },
      deliveries: await this.#deliveries(),
      tokens: await this.#tokens(moments),
    };
  }

  async readServers(most: number): Promise<readonly ServerGauges[] | null> {
    return eachServer(this.#database.knex, most);
  }

  async #approvals(): Promise<number> {
    const query = this.#database.knex('approvals').where({ state: 'waiting' }).count({ waiting: '*' });
    return ((await query.first()) as { waiting: number }).waiting;
  }

  async #notifications(): Promise<Gauges['notifications']['openByType']> {
    const rows: { kind: NotificationKind; open: number }[] = await this.#database
      .knex('notifications')
      .whereIn('state', ['open', 'acknowledged'])
      .where({ muted: 0 })
      .groupBy('kind')
      .select('kind')
      .count({ open: '*' });
    return { ...noneOpen, ...Object.fromEntries(rows.map(({ kind, open }) => [kind, open])) };
  }

  async #deliveries(): Promise<Gauges['deliveries']> {
    const rows: { status: 'pending' | 'dead'; count: number }[] = await this.#database
      .knex('deliveries')
      .where({ channel: 'webhook' })
      .whereIn('status', ['pending', 'dead'])
      .groupBy('status')
      .select('status')
      .count({ count: '*' });
    const of = (status: string): number => rows.find((row) => row.status === status)?.count ?? 0;
    return { pending: of('pending'), dead: of('dead') };
  }

  async #tokens({ now, expiringUntil }: GaugeMoments): Promise<Gauges['tokens']> {
    const { knex } = this.#database;
    const row = (await knex('api_tokens')
      .whereNull('revoked_at')
      .where((valid) => void valid.whereNull('expires_at').orWhere('expires_at', '>', now))
      .select({
        active: knex.raw('COUNT(*)'),
        expiring: knex.raw('COALESCE(SUM(CASE WHEN expires_at <= ? THEN 1 ELSE 0 END), 0)', [expiringUntil]),
      })
      .first()) as { active: number; expiring: number | string };
    // MySQL gives sums as texts: they may be longer than a number.
    return { active: row.active, expiring: Number(row.expiring) };
  }
}

const noneOpen = Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, 0])) as Record<
  NotificationKind,
  number
>;
