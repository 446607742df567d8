import type { Actor } from '../../domain/access/actor.ts';
import type { BackupSource } from '../../domain/backups/backup-source.ts';
import { DAY, type Instant } from '../../domain/base/instant.ts';
import {
  type JobDay,
  jobDays,
  lastDays,
  type SeenDay,
  seenDays,
  sourceDays,
} from '../../domain/fleet/day-strip.ts';
import { FORECAST_FROM_MS, fullAt } from '../../domain/fleet/disk-forecast.ts';
import { type Sample, stepAt } from '../../domain/fleet/sample.ts';
import { SAMPLE_STEPS, type SampleStep } from '../../domain/fleet/sample-steps.ts';
import type { Job } from '../../domain/jobs/job.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from './get-server.ts';

const DAYS = 30;
/** How many jobs are read: backups every hour for 30 days, and some more. */
const MAX_JOBS = 800;

/** All that there can be of a step. */
export const MAX_SAMPLES = SAMPLE_STEPS.day.keptMs / DAY + 1;

export interface ServerHistory {
  /** One per day. */
  readonly samples: readonly Sample[];
  readonly backups: readonly JobDay[];
  readonly updates: readonly JobDay[];
  readonly seen: readonly SeenDay[];
  /** When a file system is full at its present rate, by its mount point. */
  readonly fullAt: (mount: string) => Instant | null;
}

/** How a server did over time, from the database: its samples, and the jobs of that time. */
export class GetServerHistory extends UseCase<
  'servers' | 'inventories' | 'jobs' | 'clock' | 'snapshots.list'
> {
  /** The last 30 days. Throws `server_not_found`. */
  async execute(actor: Actor, serverId: number): Promise<ServerHistory> {
    await this.#require(actor, serverId);
    const now = this.deps.clock.now();
    const days = lastDays(now, DAYS);
    const from = days[0] ?? now;
    const [samples, hours, backups, patches, snapshots] = await Promise.all([
      this.deps.inventories.samples(serverId, { step: 'day', from, limit: MAX_SAMPLES }),
      this.deps.inventories.samples(serverId, { step: 'hour', from, limit: MAX_SAMPLES }),
      this.#jobs(serverId, 'backup', from),
      this.#jobs(serverId, 'os_patch', from),
      this.deps.snapshots.list({ serverId }, { limit: MAX_JOBS, offset: 0 }),
    ]);
    const recent = samples.filter(({ at }) => at >= now - FORECAST_FROM_MS);
    return {
      samples,
      backups: withSnapshots(jobDays(backups, days), snapshots.items),
      updates: jobDays(patches, days),
      seen: seenDays(hours, days, now),
      fullAt: (mount) => fullAt(recent, mount),
    };
  }

  /** How the backups of its sources ended on the last days. Throws `server_not_found`. */
  async sources(
    actor: Actor,
    serverId: number,
    count: number,
  ): Promise<(source: Pick<BackupSource, 'id' | 'name' | 'createdAt'>) => readonly JobDay[]> {
    await this.#require(actor, serverId);
    const now = this.deps.clock.now();
    const days = lastDays(now, count);
    const [jobs, snapshots] = await Promise.all([
      this.#jobs(serverId, 'backup', (days[0] ?? now) - DAY),
      this.deps.snapshots.list({ serverId }, { limit: MAX_JOBS, offset: 0 }),
    ]);
    return (source) => sourceDays(source, jobs, snapshots.items, days);
  }

  /** The samples since then, at most `limit`, the latest of them; the oldest first. Throws `server_not_found`. */
  async samples(
    actor: Actor,
    serverId: number,
    query: { readonly step: SampleStep; readonly from: Instant; readonly limit: number },
  ): Promise<readonly Sample[]> {
    await this.#require(actor, serverId);
    return this.deps.inventories.samples(serverId, query);
  }

  async #require(actor: Actor, serverId: number): Promise<void> {
    actor.require('read');
    await existingServer(this.deps.servers, actor, serverId);
  }

  /** Real runs, no dry runs. */
  async #jobs(serverId: number, jobType: JobType, since: Instant): Promise<readonly Job[]> {
    const page = { limit: MAX_JOBS, offset: 0, uncounted: true as const };
    const { items } = await this.deps.jobs.list({ serverId, jobType, since }, page);
    return items.filter(({ params }) => !params.dryRun);
  }
}

/** A snapshot proves that a backup succeeded, after its job is deleted too. */
const withSnapshots = (
  days: readonly JobDay[],
  snapshots: readonly { readonly finishedAt: Instant }[],
): readonly JobDay[] =>
  days.map((each) => {
    const taken = snapshots.some(({ finishedAt }) => stepAt('day', finishedAt) === each.day);
    return taken && each.succeeded === 0 ? { ...each, succeeded: 1 } : each;
  });
