import type { Result, Row } from './figures.ts';

/** A bench in one line: a figure, and its target. */
export interface Bar {
  readonly bench: string;
  readonly what: string;
  readonly is: string;
  /** Empty: nothing is asked of it. */
  readonly asked: string;
  readonly met: 'yes' | 'no' | '';
  /** The day and the commit. */
  readonly kept: string;
}

interface Measure {
  readonly what: string;
  readonly of: (result: Result) => number;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly unit?: string;
  /** The day and the commit of a row that was kept from an earlier run. */
  readonly measured?: (result: Result) => string | undefined;
}

const row = (rows: readonly Row[], is: Row): Row =>
  rows.find((each) => Object.entries(is).every(([column, value]) => each[column] === value)) ?? {};
const figure =
  (is: Row, column: string) =>
  ({ rows }: Result): number =>
    Number(row(rows, is)[column]);
/** The minimum of two columns' or rows' figures: the target applies to both. */
const worst =
  (pick: (...figures: number[]) => number, ...each: readonly ((result: Result) => number)[]) =>
  (result: Result): number =>
    pick(...each.map((of) => of(result)));

const ERAS = ['Drover, 2025-11-25', 'Drover, 2026-07-28'];
const mcp = (what: string, column: string) =>
  worst(Math.min, ...ERAS.map((server) => figure({ case: `tools/call ${what}`, server }, column)));
const mcpMeasured =
  (what: string) =>
  ({ rows }: Result): string | undefined =>
    row(rows, { case: `tools/call ${what}`, server: 'Drover, 2026-07-28' })['measured']?.toString();
const fleetOf = (hosts: number, what: string, since: string, who: string, column: string) =>
  figure({ what, since, hosts, who }, column);
const fleet = (what: string, since: string, column: string) =>
  worst(Math.min, ...[10, 50].map((hosts) => fleetOf(hosts, what, since, 'Drover', column)));
/** The targets of the fleet bench, for each comparison. */
const fleetBars = (what: string, since: string): readonly Measure[] => [
  {
    what: `${what} of 10 and of 50 hosts, ${since}, times faster than Ansible`,
    of: fleet(what, since, 'times faster'),
    atLeast: 8,
  },
  {
    what: 'the same, times less processor',
    of: fleet(what, since, 'times less processor'),
    atLeast: 15,
  },
];
const LARGEST = { database: 'SQLite', servers: 100_000, jobs: 1_000_000 };
const overview = (column: string) =>
  worst(Math.max, ...['SQLite', 'MariaDB'].map((database) => figure({ database, servers: 10_000 }, column)));
const LOADS = ['2 replicas, a call a second', '2 replicas, without pause', '1 replica, without pause'];
const load = (scenario: string | undefined, column: string) =>
  figure({ scenario: scenario ?? '', tool: 'all' }, column);

const backup = (bar: string, what: string, column: string, atMost: number, unit?: string): Measure => ({
  what: bar,
  of: figure({ what }, column),
  atMost,
  ...(unit === undefined ? {} : { unit }),
  measured: ({ rows }) => row(rows, { what })['measured']?.toString(),
});
const FIRST = '20,000 files, first';
const UNCHANGED = '20,000 files, unchanged';
const CHANGED = '20,000 files, 1 % changed';
const LARGE = '200,000 files, unchanged';

/** The main figures of each bench. */
const MEASURES: Readonly<Record<string, readonly Measure[]>> = {
  mcp: [
    {
      what: 'health, of node:http',
      of: mcp('health', 'of node:http'),
      atLeast: 0.25,
      measured: mcpMeasured('health'),
    },
    {
      what: "health, times the SDK's example",
      of: mcp('health', 'of sdk-stateless'),
      atLeast: 6,
      measured: mcpMeasured('health'),
    },
    {
      what: 'health, times fastmcp',
      of: mcp('health', 'of fastmcp'),
      atLeast: 6,
      measured: mcpMeasured('health'),
    },
    {
      what: 'get_server, of node:http',
      of: mcp('get_server', 'of node:http'),
      atLeast: 0.2,
      measured: mcpMeasured('get_server'),
    },
    {
      what: 'list_servers of 10,000, pages of 100, calls a second',
      of: mcp('list_servers', 'calls/s'),
      atLeast: 5_000,
      measured: mcpMeasured('list_servers'),
    },
    {
      what: 'memory after 200,000 calls',
      of: ({ notes }) => Number((notes['resident MiB at each quarter of 200,000 calls'] as number[]).at(-1)),
      atMost: 200,
      unit: 'MiB',
    },
  ],
  stdio: [
    {
      what: 'get_server over stdio, of plain HTTP, 32 under way',
      of: ({ rows }) => {
        const of = (what: string): number => Number(row(rows, { what, 'calls under way': 32 })['calls/s']);
        return of('get_server over stdio') / of('GET /servers/1, node:http');
      },
    },
  ],
  fleet: [
    ...fleetBars('facts', 'nothing changed'),
    ...fleetBars('facts and pending updates', 'packages changed'),
    ...fleetBars('update check', 'nothing changed'),
    ...fleetBars('update check', 'packages changed'),
    {
      what: 'update check of 10 and of 50 hosts, sources changed, times faster than Ansible',
      of: fleet('update check', 'sources changed', 'times faster'),
    },
    {
      what: 'the same, times less processor',
      of: fleet('update check', 'sources changed', 'times less processor'),
    },
    {
      what: 'update check of 50 hosts, sources changed, of what apt-get update takes there alone',
      of: (result) => {
        const wall = (who: string): number =>
          fleetOf(50, 'update check', 'sources changed', who, 'wall s')(result);
        return wall('Drover') / wall("the hosts' apt alone");
      },
    },
  ],
  backup: [
    backup('20,000 files unchanged, of rsync -a', UNCHANGED, 'of rsync', 1),
    backup('the same, of --link-dest', UNCHANGED, 'of --link-dest', 0.4),
    backup('20,000 files, 1 % changed, of rsync -a', CHANGED, 'of rsync', 1.1),
    backup('the same, of --link-dest', CHANGED, 'of --link-dest', 0.5),
    backup('20,000 files, first, of rsync -a', FIRST, 'of rsync', 1.2),
    backup('the same, of restic', FIRST, 'of restic', 1),
    backup('1 GB in one file, first, of rsync -a', '1 GB in one file, first', 'of rsync', 1.05),
    ...[UNCHANGED, FIRST, '1 GB in one file, first'].flatMap((files) => [
      backup(
        `restic engine, ${files}, of restic over SSH`,
        `${files}, restic engine`,
        'of restic by ssh',
        1.05,
      ),
      backup('the same, of restic on the host itself', `${files}, restic engine`, 'of restic', 1.05),
    ]),
    backup('200,000 files unchanged, times 20,000', LARGE, 'times a tenth of the files', 10),
    backup('memory for 200,000 files unchanged', LARGE, 'MiB', 300, 'MiB'),
    backup('memory for 200,000 files, first', '200,000 files, first', 'MiB', 300, 'MiB'),
  ],
  jail: [
    {
      what: 'read of 256 KiB here, of plain fs',
      of: figure({ what: 'read 256 KiB, local' }, 'of plain'),
      atMost: 1.5,
    },
    {
      what: 'list of 500 over SSH, of plain SFTP',
      of: figure({ what: 'list 500, over SSH' }, 'of plain'),
      atMost: 2,
    },
  ],
  metrics: [
    {
      what: 'scrape of 100,000 servers and 1,000,000 jobs on SQLite, p99',
      of: figure(LARGEST, 'p99 ms'),
      atMost: 100,
      unit: 'ms',
    },
    {
      what: 'the same, times that of 1,000 and 10,000',
      of: ({ notes }) => Number((notes['SQLite, the largest by the smallest'] as Row)['p99']),
      atMost: 3,
    },
  ],
  overview: [
    {
      what: 'first view with 10,000 servers, either database',
      of: overview('first ms'),
      atMost: 100,
      unit: 'ms',
    },
    { what: 'a later view, median', of: overview('median ms'), atMost: 100, unit: 'ms' },
    { what: 'its weight with all that it loads', of: overview('page and files KB'), atMost: 225, unit: 'KB' },
    { what: 'the same, compressed', of: overview('both compressed KB'), atMost: 90, unit: 'KB' },
    { what: 'requests for it', of: overview('requests'), atMost: 8 },
  ],
  inventory: [
    {
      what: 'with samples, times one without, either database',
      of: ({ rows }) => Math.max(...rows.map((each) => Number(each['times']))),
      atMost: 1.02,
    },
  ],
  'hostile-output': [
    {
      what: '/healthz at its slowest, whatever a host prints',
      of: ({ rows }) => Math.max(...rows.map((each) => Number(each['/healthz max ms']))),
      atMost: 200,
      unit: 'ms',
    },
  ],
  load: [
    {
      what: 'calls and jobs that failed, in all',
      of: ({ rows }) =>
        LOADS.reduce((sum, scenario) => sum + Number(row(rows, { scenario, tool: 'all' })['errors']), 0),
      atMost: 0,
    },
    {
      what: 'p99 of 200 agents that call once a second, 2 replicas',
      of: load(LOADS[0], 'p99 ms'),
      unit: 'ms',
    },
    { what: 'calls a second without pause, 2 replicas', of: load(LOADS[1], 'calls/s') },
    {
      what: 'the same, times 1 replica',
      of: (result) => load(LOADS[1], 'calls/s')(result) / load(LOADS[2], 'calls/s')(result),
    },
    {
      what: 'memory at the end of the first minute, of that in the middle',
      of: ({ notes }) => Math.max(...LOADS.map((name) => growth(notes[name]))),
    },
  ],
  memory: [
    { what: 'calls and jobs that failed', of: ({ notes }) => Number(notes['errors']), atMost: 0 },
    {
      what: 'resident after four quarters under load, of that after two',
      of: ({ rows }) => Number(rows[5]?.['resident MiB']) / Number(rows[3]?.['resident MiB']),
      atMost: 1.1,
    },
    {
      what: 'kept a job, with the calls of its time',
      of: ({ notes }) => Number(notes['bytes kept a job, with the calls of its time']),
      atMost: 1_024,
      unit: 'bytes',
    },
  ],
  night: [
    {
      what: 'took, of what the hosts alone need, SQLite',
      of: figure({ database: 'SQLite' }, 'of the best'),
      atMost: 1.2,
    },
    {
      what: 'took, of what the hosts alone need, MariaDB',
      of: figure({ database: 'MariaDB' }, 'of the best'),
      atMost: 1.2,
    },
  ],
};

/** The benches that have some. */
export const MEASURED = Object.keys(MEASURES);

/** Of the replica with the most growth. */
function growth(used: unknown): number {
  const memory = (used as { memory: readonly (readonly number[])[] }).memory;
  const [middle, end] = [memory[memory.length >> 1] ?? [], memory.at(-1) ?? []];
  return Math.max(...end.map((mib, index) => mib / (middle[index] ?? Number.NaN)));
}

/** A kept result, line by line. */
export function barsOf(bench: string, result: Result): readonly Bar[] {
  return (MEASURES[bench] ?? []).flatMap(({ what, of, atLeast, atMost, unit, measured }): Bar[] => {
    const is = of(result);
    const { at, commit } = result.machine;
    const kept = measured?.(result) ?? `${at.slice(0, 10)}, ${commit}`;
    // a result that was kept before this was measured
    if (Number.isNaN(is)) return [];
    const words = (value: number): string =>
      `${value.toLocaleString('en-US', { maximumFractionDigits: 2 })}${unit === undefined ? '' : ` ${unit}`}`;
    const asked = atLeast === undefined ? atMost : atLeast;
    if (asked === undefined) return [{ bench, what, is: words(is), asked: '', met: '', kept }];
    const isMet = atLeast === undefined ? is <= asked : is >= asked;
    const side = atLeast === undefined ? 'at most' : 'at least';
    const met = isMet ? 'yes' : 'no';
    return [{ bench, what, is: words(is), asked: `${side} ${words(asked)}`, met, kept }];
  });
}
