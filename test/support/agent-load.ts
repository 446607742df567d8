import { Agent as Connections, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { Agent } from './agent.ts';

export interface LoadOptions {
  /** The replicas; agents are spread over them. */
  readonly urls: readonly string[];
  /** A token for each agent that reads. */
  readonly readers: readonly string[];
  /** A token for each agent that starts jobs, one after the other and each to its end. */
  readonly starters: readonly string[];
  /** How many servers there are, with ids from 1 on. The last ones get the jobs. */
  readonly servers: number;
  /** Between two calls of one agent, on average; 0: none. In milliseconds. */
  readonly pauseMs: number;
}

const MAX_REPORTED = 10;
const POLL_MS = 250;
/** Of each agent that starts jobs: it cycles through them. */
export const SERVERS_EACH = 25;
const PAGE = 50;

/**
 * Many agents of a service: the protocol's official client, over HTTP, each with a token and a separate address
 * (127.0.0.0/8 is all this machine's). A wrong answer is an error.
 */
export class AgentLoad {
  /** How long each call of a tool took, in milliseconds, until its result was checked. */
  readonly times = new Map<string, number[]>();
  /** The first few. */
  readonly errors: string[] = [];
  errorCount = 0;
  readonly jobs: Record<string, number> = {};
  readonly #options: LoadOptions;
  readonly #agents: readonly Agent[];
  readonly #addresses: readonly OwnAddress[];
  /** By each agent that starts jobs. */
  readonly #started: number[] = [];

  private constructor(options: LoadOptions, agents: readonly Agent[], addresses: readonly OwnAddress[]) {
    this.#options = options;
    this.#agents = agents;
    this.#addresses = addresses;
  }

  /** All clients have said hello and know the tools. */
  static async connect(options: LoadOptions): Promise<AgentLoad> {
    const { urls, readers, starters } = options;
    const addresses: OwnAddress[] = [];
    const agents: Agent[] = [];
    for (const [index, token] of [...readers, ...starters].entries()) {
      const address = new OwnAddress(`127.1.${index >> 8}.${index & 255}`);
      addresses.push(address);
      agents.push(await Agent.connect(urls[index % urls.length] ?? '', token, address.fetch));
    }
    return new AgentLoad(options, agents, addresses);
  }

  /** Returns after this time, once the last jobs have ended. Called again, it continues. */
  async run(ms: number): Promise<void> {
    const until = performance.now() + ms;
    const { readers } = this.#options;
    await Promise.all(
      this.#agents.map((agent, index) =>
        index < readers.length ? this.#read(agent, until) : this.#start(agent, index - readers.length, until),
      ),
    );
  }

  async close(): Promise<void> {
    for (const agent of this.#agents) await agent.close();
    for (const address of this.#addresses) address.close();
  }

  async #read(agent: Agent, until: number): Promise<void> {
    let jobs: readonly number[] = [];
    await this.#pause(Math.random());
    while (performance.now() < until) {
      const [tool, args] = this.#question(jobs);
      const body = await this.#call(agent, tool, args);
      if (tool === 'list_jobs' && body) {
        jobs = (body['jobs'] as readonly { readonly id: number }[]).map(({ id }) => id);
      }
      await this.#pause(2 * Math.random());
    }
  }

  #pause(times: number): Promise<void> {
    return sleep(times * this.#options.pauseMs);
  }

  /** Agents' questions, about as often as they ask them. */
  #question(jobs: readonly number[]): [string, Record<string, unknown>] {
    const { servers } = this.#options;
    const upTo = (most: number): number => Math.floor(Math.random() * most);
    const server_id = 1 + upTo(servers);
    const offset = upTo(servers - PAGE);
    const questions: (() => [string, Record<string, unknown>])[] = [
      () => ['summary', {}],
      () => ['health', {}],
      () => ['list_servers', { limit: PAGE, offset }],
      () => ['list_servers', { q: `host-${String(server_id).padStart(5, '0').slice(0, 4)}`, limit: PAGE }],
      () => ['get_server', { server_id }],
      () => ['get_server', { server_id }],
      () => ['inventory', { server_id }],
      () => ['inventory', { limit: 10, offset }],
      () => ['services', { limit: PAGE, offset }],
      () => ['services', { server_id }],
      () => ['list_jobs', { limit: PAGE, offset: upTo(100) }],
      () => ['list_jobs', { server_id, limit: 10 }],
      () => ['list_jobs', { active_only: true, limit: PAGE }],
      () => ['get_job', { job_id: jobs[upTo(jobs.length)] ?? 1 }],
      () => ['get_job', { job_id: jobs[upTo(jobs.length)] ?? 1, detail: true }],
    ];
    // Without a job that is known of, one is looked for.
    const question = questions[upTo(questions.length)]?.() ?? ['health', {}];
    return question[0] === 'get_job' && jobs.length === 0 ? ['list_jobs', { limit: PAGE }] : question;
  }

  async #start(agent: Agent, index: number, until: number): Promise<void> {
    const last = this.#options.servers - index * SERVERS_EACH;
    while (performance.now() < until) {
      const turn = this.#started[index] ?? 0;
      this.#started[index] = turn + 1;
      const server_id = last - (turn % SERVERS_EACH);
      const started = await this.#call(agent, 'trigger_job', { server_id, job_type: 'os_update_check' });
      if (!started) continue;
      if (started['http_status'] !== 202) this.#fail('trigger_job', JSON.stringify(started));
      await this.#follow(agent, started['job_id']);
    }
  }

  async #follow(agent: Agent, job_id: unknown): Promise<void> {
    for (;;) {
      await sleep(POLL_MS);
      const job = await this.#call(agent, 'get_job', { job_id });
      if (!job?.['done']) continue;
      const status = String(job['status']);
      this.jobs[status] = (this.jobs[status] ?? 0) + 1;
      if (status !== 'success') this.#fail('job', JSON.stringify(job['error']));
      return;
    }
  }

  async #call(agent: Agent, tool: string, args: Record<string, unknown>) {
    const began = performance.now();
    try {
      const { isError, body } = await agent.call(tool, args);
      const times = this.times.get(tool) ?? [];
      this.times.set(tool, times);
      times.push(performance.now() - began);
      if (!isError) return body;
      this.#fail(tool, JSON.stringify(body));
    } catch (error) {
      this.#fail(tool, String(error));
    }
    return null;
  }

  #fail(what: string, words: string): void {
    this.errorCount += 1;
    if (this.errors.length < MAX_REPORTED) this.errors.push(`${what}: ${words.slice(0, 500)}`);
  }
}

/** One address of this machine, and the connection that is kept from there. */
class OwnAddress {
  readonly #address: string;
  readonly #connections = new Connections({ keepAlive: true });

  constructor(address: string) {
    this.#address = address;
  }

  readonly fetch: FetchLike = (url, init = {}) =>
    new Promise((resolve, reject) => {
      const { method = 'GET', headers, body, signal } = init;
      const asked = request(url, {
        agent: this.#connections,
        localAddress: this.#address,
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(signal ? { signal } : {}),
      });
      asked.once('error', reject).once('response', (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.once('error', reject).once('end', () => {
          const status = answer.statusCode ?? 0;
          const said = new Headers(
            Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
          );
          resolve(
            new Response(BODILESS.has(status) ? null : Buffer.concat(parts), { status, headers: said }),
          );
        });
      });
      asked.end(body ?? undefined);
    });

  close(): void {
    this.#connections.destroy();
  }
}

const BODILESS = new Set([202, 204, 304]);
