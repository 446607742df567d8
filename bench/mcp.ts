// Calls a second at /mcp, next to node:http, Koa, the SDK's example and fastmcp, in one run.
import { type Row, report } from './lib/report.ts';
import { callsPerSecond, once } from './mcp/load.ts';
import { legacy, type Message, modern } from './mcp/messages.ts';
import { type Subject, startDrover, startPeer } from './mcp/servers.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const SERVERS = 10_000;
const MEMORY_CALLS = 200_000;

interface Case {
  readonly name: string;
  readonly legacy: Message;
  readonly modern: Message;
}

const call = (name: string, args: object = {}): Case => {
  const params = { name, arguments: args };
  return {
    name: `tools/call ${name}`,
    legacy: legacy('tools/call', params),
    modern: modern('tools/call', params),
  };
};

const CASES: readonly Case[] = [
  call('health'),
  { name: 'tools/list', legacy: legacy('tools/list'), modern: modern('tools/list') },
  call('get_server', { server_id: 5_000 }),
  call('list_servers', { limit: 100, offset: 5_000 }),
];

const post = (subject: Subject, { headers, body }: Message) => ({
  url: subject.url,
  headers: subject.token === null ? headers : { ...headers, Authorization: `Bearer ${subject.token}` },
  body,
});

async function measure(subject: Subject, message: Message): Promise<number> {
  const load = post(subject, message);
  await once(load);
  await callsPerSecond(load, 1);
  return callsPerSecond(load, SECONDS);
}

async function withPeer(name: string, path: string, message: Message, size: number): Promise<number> {
  const peer = await startPeer(name, path, size);
  try {
    return await measure(peer, message);
  } finally {
    await peer.stop();
  }
}

const drover = await startDrover(SERVERS);
const rows: Row[] = [];
let memory: readonly number[] = [];
try {
  for (const each of CASES) {
    const size = Buffer.byteLength(await once(post(drover, each.legacy)));
    const raw = await withPeer('raw', '/', each.legacy, size);
    const koa = await withPeer('koa', '/', each.legacy, size);
    const ours = await measure(drover, each.legacy);
    const oursModern = await measure(drover, each.modern);
    const row = (server: string, rate: number): Row => ({
      case: each.name,
      'reply bytes': size,
      server,
      'calls/s': Math.round(rate),
      'of raw': Number((rate / raw).toFixed(3)),
    });
    rows.push(
      row('node:http', raw),
      row('Koa', koa),
      row('Drover, 2025-11-25', ours),
      row('Drover, 2026-07-28', oursModern),
    );
    if (each.name === 'tools/call health' || each.name === 'tools/list') {
      for (const peer of ['sdk-stateless', 'fastmcp']) {
        rows.push(row(peer, await withPeer(peer, '/mcp', each.legacy, 150)));
      }
    }
  }
  memory = await memoryOver(drover);
} finally {
  await drover.stop();
}
report('mcp', rows, { 'resident MiB at each quarter of 200,000 calls': memory });

/** Resident memory before, and after each quarter of the calls. */
async function memoryOver(subject: Subject): Promise<readonly number[]> {
  const load = post(subject, call('get_server', { server_id: 1 }).legacy);
  const readings = [subject.memory()];
  let done = 0;
  for (let quarter = 1; quarter <= 4; quarter += 1) {
    while (done < (quarter * MEMORY_CALLS) / 4) done += 2 * (await callsPerSecond(load, 2));
    readings.push(subject.memory());
  }
  return readings;
}
