// The stdio adapter: time to its first answer, and calls a second, next to plain requests to the same service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { environment, PROGRAM } from '../test/adapters/inbound/stdio/adapter-process.ts';
import { type Row, report } from './lib/report.ts';
import { startDrover } from './mcp/servers.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const STARTS = 10;
const SERVERS = 1_000;

const drover = await startDrover(SERVERS);
const origin = new URL(drover.url).origin;
const env = environment({ SERVICE_URL: origin, SERVICE_TOKEN: drover.token ?? '' });

/** Milliseconds from the start of a program to its first output. */
async function firstWord(args: readonly string[], input: string): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  child.stdin.end(input);
  await once(child.stdout, 'data');
  const took = performance.now() - began;
  await ended;
  return took;
}

async function median(measure: () => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round < STARTS; round += 1) all.push(await measure());
  return Math.round(all.sort((a, b) => a - b)[STARTS / 2] ?? 0);
}

/** Keeps this many calls running for some seconds; returns calls a second. */
async function rate(parallel: number, call: () => Promise<void>): Promise<number> {
  const end = performance.now() + SECONDS * 1000;
  const began = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (performance.now() < end) {
        await call();
        done += 1;
      }
    }),
  );
  return Math.round((done / (performance.now() - began)) * 1000);
}

/** A client of the adapter that reads only the id of an answer. */
function startAdapter() {
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, () => void>();
  let last = 0;
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const id = Number(/^\{"jsonrpc":"2.0","id":(\d+)/.exec(line)?.[1]);
      waiting.get(id)?.();
      waiting.delete(id);
    }
  });
  return {
    call: (method: string, params: object = {}) =>
      new Promise<void>((resolve) => {
        last += 1;
        waiting.set(last, resolve);
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`);
      }),
    stop: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const plain = (path: string) =>
  new Promise<void>((resolve, reject) => {
    const headers = { Authorization: `Bearer ${drover.token}` };
    request(`${origin}/api/v1${path}`, { agent, headers }, (res) => {
      res.resume().once('end', resolve);
    })
      .once('error', reject)
      .end();
  });

const greeting = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
})}\n`;

const rows: Row[] = [];
const starts = {
  'node -p 0': await median(() => firstWord(['-p', '0'], '')),
  'drover-mcp, initialize answered': await median(() => firstWord([PROGRAM], greeting)),
};
const adapter = startAdapter();
try {
  await adapter.call('tools/list');
  for (const parallel of [1, 32]) {
    const row = (what: string, calls: number): void =>
      void rows.push({ 'calls under way': parallel, what, 'calls/s': calls });
    row('ping over stdio', await rate(parallel, () => adapter.call('ping')));
    row('GET /servers/1, node:http', await rate(parallel, () => plain('/servers/1')));
    const call = { name: 'get_server', arguments: { server_id: 1 } };
    row('get_server over stdio', await rate(parallel, () => adapter.call('tools/call', call)));
  }
} finally {
  agent.destroy();
  await adapter.stop();
  await drover.stop();
}
report('stdio', rows, { 'median start in ms': starts });
