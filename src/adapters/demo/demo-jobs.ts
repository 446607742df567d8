import { jobEvent } from '../../application/jobs/job-event.ts';
import type { JobQueue } from '../../application/ports/job-queue.ts';
import type { JobStore } from '../../application/ports/job-store.ts';
import { Actor } from '../../domain/actor.ts';
import { auditEntry } from '../../domain/audit-entry.ts';
import { DAY, HOUR, type Instant, SECOND } from '../../domain/instant.ts';
import { type Job, type JobError, type JobType, requestJob } from '../../domain/job.ts';
import type { Server } from '../../domain/server.ts';
import type { Chance } from './chance.ts';

interface Ports {
  readonly jobs: JobStore;
  readonly queue: JobQueue;
}

interface Past {
  readonly server: Server;
  readonly type: JobType;
  readonly at: Instant;
  readonly took: number;
  readonly by: string;
  readonly sourceFilter?: string;
  readonly lines: readonly string[];
  readonly summary: string;
  /** It failed with this. */
  readonly error?: JobError;
}

/** Jobs as they were asked for, run and ended: through the same ports as real ones, at times of the past. */
export class DemoJobs {
  readonly #ports: Ports;
  readonly #chance: Chance;

  constructor(ports: Ports, chance: Chance) {
    this.#ports = ports;
    this.#chance = chance;
  }

  async past(past: Past): Promise<Job> {
    const claim = await this.begin(past);
    const { error = null, summary } = past;
    const at = past.at + past.took;
    const status = error ? 'failed' : 'success';
    return this.#ports.queue.finish(claim, { status, summary, error, result: null }, at, (job) => ({
      events: [jobEvent(job, at)],
      audit: [
        auditEntry(Actor.system('worker'), at, 'job.finish', `job:${job.id}`, {
          serverId: job.serverId,
          status,
        }),
      ],
    }));
  }

  /** Leaves it running. */
  async begin({ server, type, at, by, lines, sourceFilter }: Omit<Past, 'took' | 'summary'>) {
    const { jobs, queue } = this.#ports;
    const asked = requestJob({
      server,
      type,
      params: { sourceFilter: sourceFilter ?? null, service: null, osSteps: null, dryRun: false },
      requestedBy: by,
      scheduled: by.startsWith('schedule '),
      approval: null,
      at,
    });
    const actor = Actor.system(by);
    const job = await jobs.enqueue(asked, ({ id }) => ({
      audit: [auditEntry(actor, at, 'job.request', `job:${id}`, { serverId: server.id, jobType: type })],
    }));
    const claims = await queue.claim({
      owner: 'demo',
      leaseMs: DAY,
      limit: 1,
      at: at + SECOND,
      trail: () => ({}),
    });
    const claim = claims.find((each) => each.job.id === job.id);
    if (!claim) throw new Error(`job ${job.id} of the demonstration could not be begun`);
    const text = lines.map((line) => `${new Date(at).toISOString().slice(11, 19)} ${line}\n`).join('');
    await queue.appendLog(claim, text, at + SECOND);
    return claim;
  }

  /** What a server's jobs of the last days were, oldest first. */
  historyOf(server: Server, sources: readonly string[], now: Instant): readonly Past[] {
    const chance = this.#chance;
    const past: Past[] = [];
    for (let day = 4; day >= 1; day -= 1) {
      const night = now - day * DAY + chance.between(0, 3) * HOUR;
      if (server.features.backup) past.push(this.#backup(server, sources, night));
      if (server.features.os_patch && day % 2 === 0) past.push(this.#check(server, night + HOUR));
    }
    if (server.features.os_patch && chance.happens(0.4)) past.push(this.#patch(server, now - 3 * DAY));
    return past.toSorted((one, other) => one.at - other.at);
  }

  #backup(server: Server, sources: readonly string[], at: Instant): Past {
    const failed = this.#chance.happens(0.02);
    const gigabytes = this.#chance.between(1, 90) / 10;
    const base = { server, type: 'backup', at, took: this.#chance.between(20, 600) * SECOND } as const;
    const detail = `${server.name} ended the connection after 41 s; the backup goes on from there next time.`;
    return {
      ...base,
      by: 'schedule nightly-backup',
      lines: sources.map(
        (name) => `Source "${name}": ${gigabytes} GB read, what has changed was taken over.`,
      ),
      summary: failed ? detail : `${sources.length} source(s) backed up, ${gigabytes} GB read.`,
      ...(failed ? { error: { code: 'host_connection_lost', detail } as const } : {}),
    };
  }

  #check(server: Server, at: Instant): Past {
    return {
      server,
      type: 'os_update_check',
      at,
      took: this.#chance.between(4, 40) * SECOND,
      by: 'schedule look-for-updates',
      lines: ['Refreshing the package lists', 'Reading what is pending'],
      summary: 'The package lists were refreshed.',
    };
  }

  #patch(server: Server, at: Instant): Past {
    const failed = this.#chance.happens(0.12);
    const count = this.#chance.between(2, 30);
    const detail = 'The package manager left a package half-configured: dpkg --audit names it.';
    return {
      server,
      type: 'os_patch',
      at,
      took: this.#chance.between(40, 400) * SECOND,
      by: this.#chance.pick(['user:ann', 'token:mcp-patcher', 'schedule sunday-patches']),
      lines: [
        'Setting up openssl (3.0.15-1) ...',
        'Setting up curl (7.88.1-12) ...',
        'Processing triggers ...',
      ],
      summary: failed ? detail : `${count} packages were upgraded.`,
      ...(failed ? { error: { code: 'patch_failed', detail } as const } : {}),
    };
  }
}
