import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { jobSchema } from '../../src/adapters/inbound/api/views/job-view.ts';
import { RestClient, type RestReply } from '../support/rest-client.ts';

const Started = z.object({ job_id: z.int() });
const Shown = z.object({ id: z.int(), status: z.string(), done: z.boolean() });
const Conflict = z.object({ already_active: z.literal(true), job: jobSchema });

/** How long a script keeps retrying without an answer: longer than everything takes to come back. */
const ANSWER_WITHIN_MS = 120_000;
/** A job outlives the paused worker's lease, the sweep, and whatever falls into the rest of it. */
const ENDS_WITHIN_MS = 300_000;
/** Two for each type, so that they meet in its lane. */
const SCRIPTS = ['os_patch', 'backup', 'os_patch', 'backup'];

/** Waits for all of them, also if one fails: nothing of a failed test continues during the next. */
export async function together(...all: readonly Promise<void>[]): Promise<void> {
  for (const each of await Promise.allSettled(all)) if (each.status === 'rejected') throw each.reason;
}

export interface Begun {
  readonly id: number;
  readonly serverId: number;
  readonly type: string;
  /** `null` while it has not ended as far as the script knows. */
  status: string | null;
}

/**
 * Scripts that start jobs and follow them, on whichever replica answers, and repeat unanswered requests with the same
 * Idempotency-Key.
 */
export class CrashLoad {
  readonly begun: Begun[] = [];
  readonly counts = { repeated: 0, conflicts: 0, unanswered: 0 };
  readonly #replicas: readonly RestClient[];
  readonly #servers: readonly number[];
  #driving = 0;

  constructor(urls: readonly string[], token: string, servers: readonly number[]) {
    this.#replicas = urls.map((url) => new RestClient(url, token));
    this.#servers = servers;
  }

  /** As many as there are scripts. */
  get scripts(): number {
    return this.#servers.length * SCRIPTS.length;
  }

  get isDriving(): boolean {
    return this.#driving > 0;
  }

  /** Has each script start one job after the other, until that is enough; it is asked with how many a script has seen through. */
  async drive(isEnough: (own: number) => boolean): Promise<void> {
    this.#driving = this.scripts;
    const script = async (serverId: number, type: string): Promise<void> => {
      try {
        await this.script(serverId, type, isEnough);
      } finally {
        this.#driving -= 1;
      }
    };
    await together(...this.#servers.flatMap((id) => SCRIPTS.map((type) => script(id, type))));
  }

  /** The same of one script, which asks before each of its jobs. */
  async script(
    serverId: number,
    type: string,
    isEnough: (own: number) => boolean | Promise<boolean>,
  ): Promise<void> {
    for (let own = 0; !(await isEnough(own)); ) {
      const key = `crash-${serverId}-${type}-${Math.random()}`;
      const body = JSON.stringify({ job_type: type });
      const reply = await this.#insist((replica) =>
        replica.send('POST', `/api/v1/servers/${serverId}/jobs`, body, { 'Idempotency-Key': key }),
      );
      if (reply.status === 409) {
        this.counts.conflicts += 1;
        await this.#end(Conflict.parse(reply.body).job.id);
        continue;
      }
      if (reply.status !== 202) throw new Error(`a job was refused: ${reply.status} ${reply.text}`);
      const job: Begun = { id: Started.parse(reply.body).job_id, serverId, type, status: null };
      this.begun.push(job);
      job.status = await this.#end(job.id);
      own += 1;
    }
  }

  async #end(id: number): Promise<string> {
    const deadline = Date.now() + ENDS_WITHIN_MS;
    for (;;) {
      const { status, body, text } = await this.#insist((replica) => replica.get(`/api/v1/jobs/${id}`));
      if (status !== 200) throw new Error(`job ${id} is not told of: ${status} ${text}`);
      const job = Shown.parse(body);
      if (job.done) return job.status;
      if (Date.now() > deadline) throw new Error(`job ${id} does not end: ${text}`);
      await sleep(200);
    }
  }

  /** Tries one replica after another until one answers; the same request with the same key is the same request. */
  async #insist(ask: (replica: RestClient) => Promise<RestReply>): Promise<RestReply> {
    const deadline = Date.now() + ANSWER_WITHIN_MS;
    let next = Math.floor(Math.random() * this.#replicas.length);
    for (;;) {
      const replica = this.#replicas[next % this.#replicas.length];
      if (!replica) throw new Error('there are replicas');
      const reply = await Promise.race([
        ask(replica).catch(() => undefined),
        // a paused replica takes connections and never answers
        sleep(15_000, undefined),
      ]);
      if (reply?.status === 500) throw new Error(`the service met a fault of its own: ${reply.text}`);
      // 409 with this code: the first try of this request is still running
      const again =
        reply === undefined || reply.status > 500 || reply.text.includes('"idempotency_key_in_use"');
      if (!again) return reply;
      this.counts[reply === undefined ? 'unanswered' : 'repeated'] += 1;
      if (Date.now() > deadline) throw new Error(`nobody answers: ${reply?.status} ${reply?.text}`);
      next += 1;
      await sleep(200);
    }
  }
}
