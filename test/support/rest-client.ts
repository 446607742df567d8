import * as z from 'zod';
import { jobDetailSchema } from '../../src/adapters/inbound/api/views/job-view.ts';
import { eventually } from './processes.ts';

export interface RestReply {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON; `undefined` if it is not JSON. */
  readonly body: unknown;
  readonly text: string;
}

/** Releases before 1.2 give no reason, and no steps. A started job has no steps either. */
const Job = jobDetailSchema.extend({
  reason: z.string().nullable().default(null),
  phases: jobDetailSchema.shape.phases.default([]),
  usual_seconds: z.number().nullable().default(null),
});
export type JobDetail = z.output<typeof Job>;

const Started = z.object({ job_id: z.int() });

const JOB_WITHIN_MS = 90_000;
const LOOK_EVERY_MS = 50;

/** A script that uses the REST interface, with one token or none. */
export class RestClient {
  readonly #base: string;
  readonly #token: string | null;

  /** `url`: the service's, without a path. */
  constructor(url: string, token: string | null) {
    this.#base = url;
    this.#token = token;
  }

  get(path: string): Promise<RestReply> {
    return this.send('GET', path);
  }

  post(path: string, body?: unknown): Promise<RestReply> {
    return this.send('POST', path, body === undefined ? undefined : JSON.stringify(body));
  }

  /** `path`: from the root; `body`: as it goes over the wire. */
  async send(
    method: string,
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RestReply> {
    const response = await fetch(`${this.#base}${path}`, {
      method,
      headers: {
        ...(this.#token === null ? {} : { Authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parsed(text), text };
  }

  /** Starts a job on a server and returns it once it has ended, however. */
  async run(serverId: number, body: Readonly<Record<string, unknown>>): Promise<JobDetail> {
    return this.jobEnd(await this.begin(serverId, body));
  }

  /** Starts a job on a server and returns its id. */
  async begin(serverId: number, body: Readonly<Record<string, unknown>>): Promise<number> {
    const { status, body: reply, text } = await this.post(`/api/v1/servers/${serverId}/jobs`, body);
    if (status !== 202) throw new Error(`the job was not started: ${status} ${text}`);
    return Started.parse(reply).job_id;
  }

  async job(id: number): Promise<JobDetail> {
    const { status, body, text } = await this.get(`/api/v1/jobs/${id}?detail=true`);
    if (status !== 200) throw new Error(`GET job ${id}: ${status} ${text}`);
    return Job.parse(body);
  }

  /** The job once it has come to where `is` wants it. */
  jobThat(
    what: string,
    id: number,
    is: (job: JobDetail) => boolean,
    withinMs = JOB_WITHIN_MS,
  ): Promise<JobDetail> {
    const look = async (): Promise<JobDetail | undefined> => {
      const job = await this.job(id);
      if (is(job)) return job;
      if (job.done) throw new Error(`job ${id} ended before it ${what}: ${job.status}, ${job.error}`);
      return undefined;
    };
    return eventually(`job ${id} ${what}`, withinMs, look, LOOK_EVERY_MS);
  }

  /** The job once it has ended, however. */
  jobEnd(id: number, withinMs = JOB_WITHIN_MS): Promise<JobDetail> {
    return this.jobThat('has ended', id, (job) => job.done, withinMs);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
