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
