import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { MAX_BODY_BYTES } from '../../../../src/adapters/inbound/http/body.ts';
import { rounds } from '../../../support/rounds.ts';
import { body, PING, PONG } from './hostile-bodies.ts';

const MEBIBYTE = 1024 * 1024;
/** How much more the service may have in use after all of it than after its first requests. */
const MAX_GROWTH = 100 * MEBIBYTE;
/** A reply that takes longer has not come; nothing here needs a tenth of it. */
const HANGS_AFTER_MS = 30_000;
const AT_ONCE = 8;

const Started = z.object({ base: z.string(), token: z.string() });
const Memory = z.object({ rss: z.number(), used: z.number() });

let service: ChildProcess;
let started: z.output<typeof Started>;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
beforeAll(async () => {
  const script = fileURLToPath(new URL('./hostile-service.ts', import.meta.url));
  service = fork(script, [], { execArgv: ['--import', 'tsx', '--expose-gc'] });
  const exited = once(service, 'exit').then(([code]) => {
    throw new Error(`The service exited with ${code}.`);
  });
  exited.catch(() => undefined);
  started = Started.parse((await Promise.race([once(service, 'message'), exited]))[0]);
});
afterAll(async () => {
  agent.destroy();
  if (!service.connected) return;
  const gone = once(service, 'exit');
  service.disconnect();
  await gone;
});

function send(sent: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request(
      `${started.base}/mcp`,
      {
        agent,
        method: 'POST',
        signal: AbortSignal.timeout(HANGS_AFTER_MS),
        headers: {
          authorization: `Bearer ${started.token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(sent),
          ...headers,
        },
      },
      (res) => {
        text(res).then((read) => resolve({ status: res.statusCode ?? 0, text: read }), reject);
      },
    );
    asked.on('error', reject);
    asked.end(sent);
  });
}

async function memory(): Promise<z.output<typeof Memory>> {
  const told = once(service, 'message');
  service.send('memory');
  return Memory.parse((await told)[0]);
}

const ERAS: readonly Record<string, string>[] = [
  {},
  { 'mcp-protocol-version': '2025-11-25' },
  { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' },
];

/** One body in a hundred is as large as is taken, or a byte larger. */
const sized = fc.oneof(
  { weight: 99, arbitrary: body },
  {
    weight: 1,
    arbitrary: fc.tuple(body, fc.nat(1)).map(([sent, more]) => {
      const bytes = Buffer.byteLength(sent);
      return `${sent}${' '.repeat(Math.max(0, MAX_BODY_BYTES + more - bytes))}`;
    }),
  },
);

async function assault(count: number, seed: number): Promise<void> {
  const bodies = fc.sample(fc.tuple(sized, fc.constantFrom(...ERAS)), { numRuns: count, seed });
  const one = async (): Promise<void> => {
    for (let next = bodies.pop(); next; next = bodies.pop()) {
      const [sent, headers] = next;
      const reply = await send(sent, headers);
      expect([200, 202, 400, 404, 413], `seed ${seed}: ${sent.slice(0, 2_000)}`).toContain(reply.status);
      expect(reply.text).not.toContain('"code":"internal"');
      expect(await send(PING)).toEqual({ status: 200, text: PONG });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

it('survives generated bodies without a failure, a hang or a leak', async () => {
  const seed = Date.now() % 1_000_000_000;
  await assault(300, seed);
  const before = await memory();
  const total = rounds(1_000, 10_000);
  for (let done = 0; done < total; done += 500) await assault(500, seed + 1 + done);
  const after = await memory();
  expect(after.used - before.used).toBeLessThan(MAX_GROWTH);
  expect(after.rss - before.rss).toBeLessThan(MAX_GROWTH);
  expect(await send(PING)).toEqual({ status: 200, text: PONG });
  console.log(
    `${total} bodies: in use ${megabytes(before.used)} to ${megabytes(after.used)}, resident ${megabytes(before.rss)} to ${megabytes(after.rss)}`,
  );
});

const megabytes = (bytes: number): string => `${Math.round(bytes / MEBIBYTE)} MiB`;
