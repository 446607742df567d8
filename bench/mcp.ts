// Calls a second at /mcp, next to node:http, Koa, the SDK's example and fastmcp, in one run. BENCH_CASES=health,tools/list,
// get_server,list_servers,memory runs some of the cases, and keeps the rows of the others.
import { casesToRun, withKept } from './lib/cases.ts';
import { type Row, report } from './lib/report.ts';
import { callFor, once, type Post } from './mcp/load.ts';
import { legacy, type Message, modern } from './mcp/messages.ts';
import { type Subject, startDrover, startPeer } from './mcp/servers.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 2);
const ROUNDS = 5;
const WARM_UP = 2;
const SERVERS = 10_000;
const MEMORY_CALLS = 200_000;
/** Programs of bench/mcp/peers that serve /mcp, and the size of their tool's answer. */
const PEERS = ['sdk-stateless', 'fastmcp'];
const PEER_BYTES = 150;

interface Case {
  /** In BENCH_CASES. */
  readonly id: string;
  readonly name: string;
  /** Sent in turn. */
  readonly legacy: readonly Message[];
  readonly modern: readonly Message[];
  /** Whether the peers can do it, too. */
  readonly peers: boolean;
}

const call = (name: string, args: readonly object[] = [{}], peers = false): Case => {
  const all = args.map((each) => ({ name, arguments: each }));
  return {
    id: name,
    name: `tools/call ${name}`,
    legacy: all.map((params) => legacy('tools/call', params)),
    modern: all.map((params) => modern('tools/call', params)),
    peers,
  };
};

const times = (count: number, args: (n: number) => object): readonly object[] =>
  Array.from({ length: count }, (_, n) => args(n));

const CASES: readonly Case[] = [
  call('health', [{}], true),
  {
    id: 'tools/list',
    name: 'tools/list',
    legacy: [legacy('tools/list')],
    modern: [modern('tools/list')],
    peers: true,
  },
  call(
    'get_server',
    times(1_000, (n) => ({ server_id: 4_000 + n })),
  ),
  call(
    'list_servers',
    times(20, (n) => ({ limit: 100, offset: 5_000 + 100 * n })),
  ),
];

const post = (subject: Subject, messages: readonly Message[]): Post => ({
  url: subject.url,
  headers: {
    ...messages[0]?.headers,
    ...(subject.token === null ? {} : { Authorization: `Bearer ${subject.token}` }),
  },
  bodies: messages.map(({ body }) => body),
});

interface Measured {
  readonly name: string;
  readonly subject: Subject;
  readonly load: Post;
}

interface Speed {
  readonly perSecond: number;
  /** Of the server, in microseconds: what else the machine does changes it far less than the clock. */
  readonly cpuPerCall: number;
}

/** All in turn, several times, so that each meets the same machine; then the median of each. */
async function measure(measured: readonly Measured[]): Promise<ReadonlyMap<string, Speed>> {
  const rounds = new Map(measured.map(({ name }) => [name, [] as Speed[]]));
  for (const { load } of measured) {
    await once(load);
    await callFor(load, WARM_UP);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, subject, load } of measured) {
      const before = subject.cpu();
      const { calls, perSecond } = await callFor(load, SECONDS);
      rounds.get(name)?.push({ perSecond, cpuPerCall: ((subject.cpu() - before) * 1_000) / calls });
    }
  }
  return new Map(
    [...rounds].map(([name, speeds]) => [
      name,
      {
        perSecond: median(speeds.map(({ perSecond }) => perSecond)),
        cpuPerCall: median(speeds.map(({ cpuPerCall }) => cpuPerCall)),
      },
    ]),
  );
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;

const chosen = casesToRun([...CASES.map(({ id }) => id), 'memory']);
const drover = await startDrover(SERVERS);
const rows: Row[] = [];
let memory: readonly number[] | null = null;
try {
  for (const each of CASES.filter(({ id }) => chosen.has(id))) {
    const size = Buffer.byteLength(await once(post(drover, each.legacy)));
    const others: { readonly name: string; readonly subject: Subject }[] = [];
    try {
      others.push({ name: 'node:http', subject: await startPeer('raw', '/', size) });
      others.push({ name: 'Koa', subject: await startPeer('koa', '/', size) });
      for (const name of each.peers ? PEERS : [])
        others.push({ name, subject: await startPeer(name, '/mcp', PEER_BYTES) });
      const speeds = await measure([
        ...others.map((other) => ({ ...other, load: post(other.subject, each.legacy) })),
        { name: 'Drover, 2025-11-25', subject: drover, load: post(drover, each.legacy) },
        { name: 'Drover, 2026-07-28', subject: drover, load: post(drover, each.modern) },
      ]);
      rows.push(...rowsOf(each.name, size, speeds));
    } finally {
      for (const { subject } of others) await subject.stop();
    }
  }
  if (chosen.has('memory')) memory = await memoryOver(drover);
} finally {
  await drover.stop();
}
const kept = withKept('mcp', rows, ['case', 'server']);
report('mcp', kept.rows, {
  ...kept.notes,
  ...(memory === null ? {} : { 'resident MiB at each quarter of 200,000 calls': memory }),
});

function rowsOf(name: string, size: number, speeds: ReadonlyMap<string, Speed>): Row[] {
  return [...speeds].map(([server, { perSecond, cpuPerCall }]) => {
    const share = (of: string): number => rounded(perSecond / (speeds.get(of)?.perSecond ?? Number.NaN));
    return {
      case: name,
      'reply bytes': size,
      server,
      'calls/s': Math.round(perSecond),
      'of node:http': share('node:http'),
      'processor µs/call': Math.round(cpuPerCall),
      'of node:http by processor': rounded((speeds.get('node:http')?.cpuPerCall ?? Number.NaN) / cpuPerCall),
      ...Object.fromEntries(
        PEERS.filter((peer) => speeds.has(peer)).map((peer) => [`of ${peer}`, share(peer)]),
      ),
    };
  });
}

function rounded(share: number): number {
  return Number(share.toFixed(3));
}

/** Resident memory before, and after each quarter of the calls. */
async function memoryOver(subject: Subject): Promise<readonly number[]> {
  const load = post(subject, call('get_server', [{ server_id: 1 }]).legacy);
  const readings = [subject.memory()];
  let done = 0;
  for (let quarter = 1; quarter <= 4; quarter += 1) {
    while (done < (quarter * MEMORY_CALLS) / 4) done += (await callFor(load, 2)).calls;
    readings.push(subject.memory());
  }
  return readings;
}
