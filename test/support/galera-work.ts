import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { SqlIdempotencyStore } from '../../src/adapters/outbound/storage/sql/stores/sql-idempotency-store.ts';
import { NodeDigest } from '../../src/adapters/outbound/system/node-digest.ts';
import { SystemClock } from '../../src/adapters/outbound/system/system-clock.ts';
import { SystemRandomness } from '../../src/adapters/outbound/system/system-randomness.ts';
import { AnswerOnce } from '../../src/application/base/answer-once.ts';
import type { Claim } from '../../src/application/ports/jobs/job-queue.ts';
import { Actor } from '../../src/domain/access/actor.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import type { KeptReply } from '../../src/domain/base/kept-reply.ts';
import type { Job } from '../../src/domain/jobs/job.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import { type JobSubject, LEASE_MS, newJob, OUTCOME, trailOf } from './job-subject.ts';
import { jobsOn } from './sql-job-subject.ts';
import { AT } from './stores-subject.ts';

const PAUSE_MS = 50;

/** Acknowledged writes, over all replicas. */
export class Acknowledged {
  /** The job that each server got. */
  readonly jobs = new Map<number, number>();
  /** How often each job was handed to a worker. */
  readonly claims = new Map<number, number>();
  readonly finished = new Set<number>();
  /** How often the database was said to be away. */
  away = 0;
}

/** A process of the service, with a separate pool: it accepts requests for jobs, and runs jobs. */
export class GaleraReplica {
  readonly database: Database;
  readonly #name: string;
  readonly #jobs: JobSubject;
  readonly #once: AnswerOnce;
  readonly #acknowledged: Acknowledged;

  constructor(url: string, name: string, acknowledged: Acknowledged) {
    this.database = openDatabase({ url, dataDir: '/nowhere' });
    this.#name = name;
    this.#jobs = jobsOn(this.database);
    this.#acknowledged = acknowledged;
    this.#once = new AnswerOnce({
      requests: new SqlIdempotencyStore(this.database),
      digest: new NodeDigest(),
      randomness: new SystemRandomness(),
      clock: new SystemClock(),
      log: new RecordingLogger(),
    });
  }

  /** As scripts do: each request has a key, and is sent until it is answered. */
  async request(isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver(); n += 1) {
      const name = `${this.#name}-${n}`;
      const server = await this.#untilAnswered(() => this.#addServer(name));
      const job = await this.#untilAnswered(() => this.#enqueue(server));
      this.#acknowledged.jobs.set(server, job);
    }
  }

  /** As a worker does. */
  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const claims = await this.#untilAnswered(() =>
        this.#jobs.queue.claim({
          owner: this.#name,
          leaseMs: LEASE_MS,
          limit: 2,
          at: AT + 1_000,
          record: trailOf('job.claim'),
        }),
      );
      for (const { job } of claims) {
        this.#acknowledged.claims.set(job.id, (this.#acknowledged.claims.get(job.id) ?? 0) + 1);
      }
      for (const claim of claims) await this.#finish(claim);
      if (claims.length === 0) await sleep(PAUSE_MS);
    }
  }

  async #finish(claim: Claim): Promise<void> {
    const { id } = claim.job;
    const end = async (): Promise<void> => {
      await this.#jobs.queue.finish(claim, OUTCOME, AT + 2_000, trailOf('job.finish'));
    };
    await this.#untilAnswered(() =>
      end().catch(async (error: unknown) => {
        // An earlier attempt whose answer was lost did it.
        const ended = isDomainError(error, 'lease_lost') && (await this.#jobs.store.find(id));
        if (!ended || ended.status !== 'success') throw error;
      }),
    );
    this.#acknowledged.finished.add(id);
  }

  async #addServer(name: string): Promise<number> {
    try {
      return await this.#jobs.addServer(name);
    } catch (error) {
      if (!isDomainError(error, 'name_taken')) throw error;
      const row = await this.database.knex('servers').where({ name }).first<{ id: number }>('id');
      return row.id;
    }
  }

  async #enqueue(server: number): Promise<number> {
    const request = {
      actor: Actor.system('script'),
      route: `POST /servers/${server}/jobs`,
      key: String(server),
      content: '{}',
    };
    const reply = ({ id }: Job): KeptReply => ({ status: 202, body: JSON.stringify(id) });
    const { body } = await this.#once.execute(request, async (keep) =>
      reply(
        await this.#jobs.store.enqueue(newJob(server), (job) => ({
          ...trailOf('job.request')(job),
          reply: keep(reply(job)),
        })),
      ),
    );
    return JSON.parse(body);
  }

  async #untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (isDomainError(error, 'database_unavailable')) this.#acknowledged.away += 1;
        else if (!isDomainError(error, 'idempotency_key_in_use')) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }
}
