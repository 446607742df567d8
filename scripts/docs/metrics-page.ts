import { PROCESS_SERIES } from '../../src/adapters/inbound/metrics/process-metrics.ts';
import { ALWAYS, SERIES, SERVER_SERIES } from '../../src/adapters/inbound/metrics/series.ts';
import { table } from './markdown.ts';

interface Described {
  readonly name: string;
  readonly help: string;
}

const code = (text: string): string => `\`${text}\``;

const labelled = ({ name, help }: Described, labels: readonly string[]): readonly string[] => [
  code(name),
  labels.map(code).join(', '),
  help,
];

/** docs/metrics.md, from the tables that the pages are written from. */
export function metricsPage(): string {
  const { build, ...plain } = ALWAYS;
  const head = ['Series', 'Labels', 'Meaning'];
  const gauges = [
    labelled(plain.up, []),
    labelled(plain.databaseUp, []),
    labelled(build, [build.label]),
    ...SERIES.map((series) => labelled(series, series.label ? [series.label.name] : [])),
    labelled(plain.duration, []),
  ];
  const values = [
    ...new Map(SERIES.flatMap(({ name, label }) => (label ? [[name, label] as const] : []))),
  ].map(([name, label]) => [code(name), code(label.name), label.values.map(code).join(', ')]);
  return `# Metrics

\`GET /metrics\` returns the state of the fleet, \`GET /metrics/process\` the activity of one service process. Both use the
Prometheus text format; \`/metrics\` also supports OpenMetrics (set \`Accept\`).

## Authentication

If \`METRICS_TOKEN\` is set, send it as \`Authorization: Bearer TOKEN\` or as \`X-Metrics-Token: TOKEN\`; otherwise the
response is 401. API tokens are not accepted, nor is a token in the URL. If \`METRICS_TOKEN\` is empty, anyone who can reach
the service can read the metrics: leave it empty only on a private network.

The metrics contain counts of servers by state, but no names. \`METRICS_PER_SERVER=1\` adds series with server names.

## /metrics

Drover reads all values from the database at each scrape and never connects to a server. Concurrent scrapes share one
read. Zeros are included. If the database does not answer within 2.5 seconds, the response is still 200, with
\`service_up 1\`, \`service_db_up 0\` and no other values.

All series are gauges. Replicas on the same database return the same values: scrape one replica, or use \`max\` over all.

${table(head, gauges)}

Label values are fixed, and every scrape contains all of them:

${table(['Series', 'Label', 'Values'], values)}

With \`METRICS_PER_SERVER=1\` and at most 10,000 servers, there are also:

${table(
  head,
  SERVER_SERIES.map((series) => labelled(series, series.labels)),
)}

## /metrics/process

Activity of this process since it started; each replica reports its own. The label \`route\` is a pattern such as
\`/api/v1/servers/{server_id}\`, or \`(none)\` for unknown paths.

${table(
  ['Series', 'Type', 'Labels', 'Meaning'],
  Object.values(PROCESS_SERIES).map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help,
  ]),
)}

## Alert rules and dashboard

[deploy/prometheus](../deploy/prometheus) contains a scrape configuration, alert rules and their tests;
[deploy/grafana](../deploy/grafana) contains a dashboard. Each alert has a [runbook](runbooks) with its meaning and the fix.
The rules link to \`https://drover.example.org/docs/runbooks\`: replace this with the address of your service.
`;
}
