import type { Knex } from 'knex';
import type { GaugeSource } from '../../../../../application/ports/service/gauge-source.ts';
import { NOTIFICATION_KINDS, type NotificationKind } from '../../../../../domain/events/notification.ts';
import type { GaugeMoments, Gauges, ServerGauges } from '../../../../../domain/fleet/gauges.ts';
import {
  isActive,
  JOB_STATUSES,
  type JobStatus,
  UNFINISHED_STATUSES,
} from '../../../../../domain/jobs/job.ts';
import { JOB_TYPES, type JobType } from '../../../../../domain/jobs/job-types.ts';
import { SqlStore } from '../database.ts';
import { EndedJobCounts } from './ended-job-counts.ts';
import { jobsByStatus } from './job-reads.ts';
import { eachServer, serverGauges } from './server-gauges.ts';

/** One per process: it caches counts of ended jobs. */
export class SqlGaugeSource extends SqlStore implements GaugeSource {
  readonly #ended = new EndedJobCounts(this.database.knex);

  /** One query after the other: a scrape is to take one connection, and not all that others need. */
  async read(moments: GaugeMoments): Promise<Gauges> {
    const { knex } = this.database;
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
    return eachServer(this.database.knex, most);
  }

  async #approvals(): Promise<number> {
    const query = this.database.knex('approvals').where({ state: 'waiting' }).count({ waiting: '*' });
    return ((await query.first()) as { waiting: number }).waiting;
  }

  async #notifications(): Promise<Gauges['notifications']['openByType']> {
    const rows: { kind: NotificationKind; open: number }[] = await this.database
      .knex('notifications')
      .whereIn('state', ['open', 'acknowledged'])
      .where({ muted: 0 })
      .groupBy('kind')
      .select('kind')
      .count({ open: '*' });
    return { ...noneOpen, ...Object.fromEntries(rows.map(({ kind, open }) => [kind, open])) };
  }

  async #deliveries(): Promise<Gauges['deliveries']> {
    const rows: { status: 'pending' | 'dead'; count: number }[] = await this.database
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
    const { knex } = this.database;
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

interface OpenRow {
  readonly status: JobStatus;
  readonly job_type: JobType;
  readonly jobs: number;
}

async function jobGauges(knex: Knex, ended: EndedJobCounts, moments: GaugeMoments): Promise<Gauges['jobs']> {
  const open = await openJobs(knex);
  const counted = await ended.read(moments.now);
  const sum = (rows: readonly OpenRow[]): number => rows.reduce((total, { jobs }) => total + jobs, 0);
  return {
    byStatus: record(JOB_STATUSES, (status) =>
      status in counted
        ? counted[status as keyof typeof counted]
        : sum(open.filter((row) => row.status === status)),
    ),
    activeByType: record(JOB_TYPES, (type) =>
      sum(open.filter((row) => row.job_type === type && isActive(row.status))),
    ),
    ...(await lately(knex, moments)),
  };
}

/** Few beside those that have ended. */
const openJobs = async (knex: Knex): Promise<OpenRow[]> =>
  knex('jobs')
    .whereIn('status', UNFINISHED_STATUSES)
    .groupBy('status', 'job_type')
    .select<OpenRow[]>('status', 'job_type', knex.raw('COUNT(*) AS jobs'));

async function lately(
  knex: Knex,
  { failedSince }: GaugeMoments,
): Promise<Pick<Gauges['jobs'], 'failedLately' | 'oldestPendingAt' | 'hostKeyMismatches'>> {
  const failed = (): Knex.QueryBuilder =>
    knex('jobs').where('finished_at', '>=', failedSince).where({ status: 'failed' });
  const row = (await knex
    .select({
      failed: failed().count('*'),
      mismatches: failed().where({ error_code: 'host_key_mismatch' }).countDistinct('server_id'),
      // Ids grow with time: the first is as good as the oldest. One that waits for its host waits for no worker.
      oldest: jobsByStatus(knex, 'pending')
        .whereNull('next_try_at')
        .orderBy('id')
        .limit(1)
        .select('created_at'),
    })
    .first()) as { failed: number; mismatches: number; oldest: number | null };
  return {
    failedLately: row.failed,
    hostKeyMismatches: row.mismatches,
    oldestPendingAt: row.oldest,
  };
}

const record = <K extends string>(keys: readonly K[], value: (key: K) => number): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, number>;
