import type { Actor } from '../../domain/access/actor.ts';
import { DAY, type Instant } from '../../domain/base/instant.ts';
import type { AlertChannel } from '../../domain/events/channels/alert-channel.ts';
import { reportRule } from '../../domain/events/channels/channel-timing.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { MAX_REPORTED_ALERTS, weeklyReport } from '../../domain/events/weekly-report.ts';
import { staleBefore } from '../../domain/fleet/fleet-conditions.ts';
import { MAX_HOSTS } from '../../domain/fleet/host-selector.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import type { ManageChannels } from './manage-channels.ts';

const WEEK = 7 * DAY;
const COUNT_ONLY = { limit: 1, offset: 0 } as const;

/** The weekly reports of channels, about the servers that the channel's tags select. */
export class WeeklyReports extends UseCase<
  | 'selection'
  | 'bodies'
  | 'randomness'
  | 'cron'
  | 'clock'
  | 'backupStaleHours'
  | 'alertChannels.list'
  | 'alertChannels.sendReport'
  | 'servers.totals'
  | 'fleetBackups.totals'
  | 'jobs.list'
  | 'notifications.list',
  { readonly manageChannels: Pick<ManageChannels, 'find'> }
> {
  /** The report as it would be sent now. Throws `role_missing`, `channel_not_found`. */
  async preview(actor: Actor, name: string): Promise<DomainEvent> {
    return this.#report(await this.deps.manageChannels.find(actor, name), this.deps.clock.now());
  }

  /** Sends due reports. Safe to run in several processes at once: each report is sent once. */
  async execute(signal: AbortSignal): Promise<void> {
    const now = this.deps.clock.now();
    for (const channel of await this.deps.alertChannels.list()) {
      if (signal.aborted) return;
      if (channel.enabled && channel.reportAt !== null && channel.reportAt <= now)
        await this.#send(channel, now);
    }
  }

  async #send(channel: AlertChannel, now: Instant): Promise<void> {
    const { alertChannels, cron, bodies, randomness } = this.deps;
    const rule = reportRule(channel.timing);
    const next = rule && cron.next(rule, now);
    const event = { ...(await this.#report(channel, now)), uid: randomness.uuid() };
    const body = bodies.render(event, { server: null, job: null });
    await alertChannels.sendReport(channel, next, event, body);
  }

  async #report({ filter }: Pick<AlertChannel, 'filter'>, now: Instant): Promise<DomainEvent> {
    const ids = filter.tags === null ? null : await this.#tagged(filter.tags);
    const since = now - WEEK;
    const stale = staleBefore(now, this.deps.backupStaleHours);
    const open = { states: ['open', 'acknowledged'], muted: false, serverIds: ids } as const;
    const page = { limit: MAX_REPORTED_ALERTS, offset: 0 };
    const [totals, backups, packageUpdates, containerUpdates, alerts] = await Promise.all([
      this.deps.servers.totals({ ids }, stale),
      this.deps.fleetBackups.totals(ids, { staleBefore: stale, verifiedBefore: since }),
      this.#succeeded('os_patch', ids, since),
      this.#succeeded('container_patch', ids, since),
      this.deps.notifications.list(open, page, { by: 'severity', descending: true }),
    ]);
    const words = weeklyReport({
      servers: totals.hosts,
      backups,
      packageUpdates,
      containerUpdates,
      securityUpdatesPending: totals.securityUpdates,
      rebootPending: totals.rebootPending,
      unreachable: totals.unreachable,
      alerts: { total: alerts.total, worst: alerts.items },
    });
    return { type: 'report.weekly', at: now, severity: 'info', ...words, serverId: null, jobId: null };
  }

  async #tagged(tags: readonly string[]): Promise<readonly number[]> {
    const found = await this.deps.selection.select({ by: 'tags', tags }, null, MAX_HOSTS);
    return found.map(({ id }) => id);
  }

  async #succeeded(jobType: JobType, serverIds: readonly number[] | null, since: Instant): Promise<number> {
    const filter = { jobType, serverIds, status: 'success', dryRun: false, since } as const;
    return (await this.deps.jobs.list(filter, COUNT_ONLY)).total;
  }
}
