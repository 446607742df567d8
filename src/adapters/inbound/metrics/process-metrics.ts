import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { SECOND } from '../../../domain/base/instant.ts';
import { TERMINAL_STATUSES, type TerminalStatus } from '../../../domain/jobs/job.ts';
import { JOB_TYPES, type JobType } from '../../../domain/jobs/job-types.ts';

/** The series of `/metrics/process`, for the page and for its documentation. Every label has a fixed set of values. */
export const PROCESS_SERIES = {
  http: {
    name: 'service_http_request_duration_seconds',
    type: 'histogram',
    help: 'How long requests took, by route and class of status.',
    labels: ['route', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
  tools: {
    name: 'service_tool_duration_seconds',
    type: 'histogram',
    help: 'How long calls of tools took, by tool and outcome: ok, refused or failed.',
    labels: ['tool', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
  jobs: {
    name: 'service_jobs_run_total',
    type: 'counter',
    help: 'Jobs that this process took to their end, by type and outcome.',
    labels: ['type', 'outcome'],
  },
  connections: {
    name: 'service_database_connections',
    type: 'gauge',
    help: 'Connections of this process to the database.',
    labels: ['state'],
  },
  waiting: {
    name: 'service_database_waiting',
    type: 'gauge',
    help: 'Queries of this process that wait for a connection to the database.',
    labels: [],
  },
  cpu: {
    name: 'service_process_cpu_seconds_total',
    type: 'counter',
    help: 'Processor time of this process.',
    labels: [],
  },
  memory: {
    name: 'service_process_memory_bytes',
    type: 'gauge',
    help: 'Memory of this process: all that is resident, the heap in use, and what lies outside of it.',
    labels: ['area'],
  },
  started: {
    name: 'service_process_start_time_seconds',
    type: 'gauge',
    help: 'When this process was started, in seconds since 1970.',
    labels: [],
  },
  lag: {
    name: 'service_event_loop_lag_seconds',
    type: 'gauge',
    help: 'How long the event loop kept its callers waiting since the last scrape, by percentile.',
    labels: ['percentile'],
  },
} as const;

/** This process's connections to the database. */
export interface PoolState {
  readonly used: number;
  readonly free: number;
  /** How many queries wait for one. */
  readonly waiting: number;
}

/** How long things took, by the value of a label and by how they ended. */
class Durations {
  readonly #histogram: Histogram;
  /** A child is looked up by its labels once: later it costs two looks into small tables. */
  readonly #children = new Map<string, Map<string, (seconds: number) => void>>();

  constructor(series: (typeof PROCESS_SERIES)['http' | 'tools'], registry: Registry) {
    this.#histogram = new Histogram({
      ...described(series),
      buckets: [...series.buckets],
      registers: [registry],
    });
  }

  observe(what: string, outcome: string, seconds: number): void {
    let outcomes = this.#children.get(what);
    if (!outcomes) this.#children.set(what, (outcomes = new Map()));
    let observe = outcomes.get(outcome);
    if (!observe) outcomes.set(outcome, (observe = this.#child(what, outcome)));
    observe(seconds);
  }

  #child(what: string, outcome: string): (seconds: number) => void {
    const child = this.#histogram.labels(what, outcome);
    return (seconds) => child.observe(seconds);
  }
}

/** The metrics of one service process. Every label has a fixed set of values. */
export class ProcessMetrics {
  readonly #registry = new Registry();
  readonly #http: Durations;
  readonly #tools: Durations;
  readonly #jobs: Counter;

  constructor(deps: { pool: () => PoolState }) {
    this.#http = new Durations(PROCESS_SERIES.http, this.#registry);
    this.#tools = new Durations(PROCESS_SERIES.tools, this.#registry);
    this.#jobs = jobsRun(this.#registry);
    poolGauges(deps.pool, this.#registry);
    machineGauges(this.#registry);
  }

  /** `route`: its pattern. */
  request(route: string, status: number, ms: number): void {
    this.#http.observe(route, `${Math.floor(status / 100)}xx`, ms / SECOND);
  }

  /** `status`: what REST would have answered. */
  tool(name: string, status: number, ms: number): void {
    const outcome = status < 400 ? 'ok' : status < 500 ? 'refused' : 'failed';
    this.#tools.observe(name, outcome, ms / SECOND);
  }

  job(type: JobType, outcome: TerminalStatus): void {
    this.#jobs.inc({ type, outcome });
  }

  /** In the older format alone: for the newer one, prom-client takes `_total` off a counter's name, and for good. */
  async page(): Promise<string> {
    return this.#registry.metrics();
  }
}

/** The part of a series' description that its metric is made from. */
const described = (series: {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}) => ({ name: series.name, help: series.help, labelNames: series.labels });

function jobsRun(registry: Registry): Counter {
  const counter = new Counter({ ...described(PROCESS_SERIES.jobs), registers: [registry] });
  for (const type of JOB_TYPES) {
    for (const outcome of TERMINAL_STATUSES) counter.inc({ type, outcome }, 0);
  }
  return counter;
}

function poolGauges(pool: () => PoolState, registry: Registry): void {
  const { connections, waiting } = PROCESS_SERIES;
  registry.registerMetric(
    new Gauge({
      ...described(connections),
      registers: [],
      collect() {
        const { used, free } = pool();
        this.set({ state: 'used' }, used);
        this.set({ state: 'free' }, free);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      ...described(waiting),
      registers: [],
      collect() {
        this.set(pool().waiting);
      },
    }),
  );
}

function machineGauges(registry: Registry): void {
  const { cpu, memory, started, lag } = PROCESS_SERIES;
  let counted = 0;
  registry.registerMetric(
    new Counter({
      ...described(cpu),
      registers: [],
      collect() {
        const { user, system } = process.cpuUsage();
        this.inc((user + system) / 1e6 - counted);
        counted = (user + system) / 1e6;
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      ...described(memory),
      registers: [],
      collect() {
        const { rss, heapUsed, external } = process.memoryUsage();
        this.set({ area: 'resident' }, rss);
        this.set({ area: 'heap' }, heapUsed);
        this.set({ area: 'external' }, external);
      },
    }),
  );
  new Gauge({ ...described(started), registers: [registry] }).set(Date.now() / SECOND - process.uptime());
  const loop = new EventLoopLag();
  registry.registerMetric(
    new Gauge({
      ...described(lag),
      registers: [],
      collect() {
        const seconds = loop.read();
        for (const percentile of PERCENTILES)
          this.set({ percentile: String(percentile) }, seconds(percentile));
      },
    }),
  );
}

const PERCENTILES = [50, 90, 99, 100] as const;

/** How fine it is watched, in milliseconds: every step wakes the process up. */
const STEP_MS = 20;

/** How long the event loop kept its callers waiting. */
class EventLoopLag {
  readonly #histogram = monitorEventLoopDelay({ resolution: STEP_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** The waits since the last reading, in seconds, by percentile. */
  read(): (percentile: number) => number {
    // Measures the time between two steps without a wait.
    const seconds = new Map(
      PERCENTILES.map((percentile) => [
        percentile as number,
        Math.max(0, this.#histogram.percentile(percentile) / 1e9 - STEP_MS / 1e3),
      ]),
    );
    this.#histogram.reset();
    return (percentile) => seconds.get(percentile) ?? 0;
  }
}
