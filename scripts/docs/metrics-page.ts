import { PROCESS_SERIES } from '../../src/adapters/inbound/metrics/process-series.ts';
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

\`GET /metrics\` returns the state of the fleet, \`GET /metrics/process\` that of one service process. Both are in the text
format of Prometheus; \`/metrics\` also in OpenMetrics, on request by \`Accept\`.

## Who may read them

With \`METRICS_TOKEN\` set, a request carries it as \`Authorization: Bearer TOKEN\` or as \`X-Metrics-Token: TOKEN\`; otherwise
the answer is 401. API tokens are not taken, and a token in the address is refused. Without \`METRICS_TOKEN\` both pages are
open to anyone who reaches the service: leave it empty only on a private network.

The metrics show how many servers there are and how they fare, but no names. \`METRICS_PER_SERVER=1\` adds names.

## /metrics

Everything comes from the database, is read for each scrape, and costs no connection to a server. Scrapes at the same time
share one reading. What is none of is written as 0. When the database does not answer within 2.5 seconds, the answer is
still 200, with \`service_up 1\`, \`service_db_up 0\`, and none of the other numbers.

All of them are gauges, and all replicas on one database tell the same: scrape one of them, or take \`max\` over them.

${table(head, gauges)}

The values of labels are fixed, and each is written at every scrape:

${table(['Series', 'Label', 'Values'], values)}

With \`METRICS_PER_SERVER=1\`, and up to 10,000 servers, also:

${table(
  head,
  SERVER_SERIES.map((series) => labelled(series, series.labels)),
)}

## /metrics/process

Activity of this process since its start; each replica reports its own. A route is its pattern, such as
\`/api/v1/servers/{server_id}\`, and \`(none)\` if there is no such page.

${table(
  ['Series', 'Type', 'Labels', 'Meaning'],
  Object.values(PROCESS_SERIES).map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help,
  ]),
)}

## The kit

[deploy/prometheus](../deploy/prometheus) has the scrape configuration, alert rules and their tests,
[deploy/grafana](../deploy/grafana) a dashboard. Each alert has a page in [runbooks](runbooks) that says what it means and
what to do; the rules link to \`https://drover.example.org/docs/runbooks\`: put there where you keep the pages.
`;
}
