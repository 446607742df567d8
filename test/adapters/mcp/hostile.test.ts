import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LARGEST_BODY } from '../../../src/adapters/http/body.ts';
import { type Doors, openDoors } from '../http/doors.ts';

let doors: Doors;
let token: string;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
beforeAll(async () => {
  doors = await openDoors();
  token = await doors.token(['read', 'jobs', 'edit']);
});
afterAll(async () => {
  agent.destroy();
  await doors.close();
});

/** Over kept connections, so that one bad request would be seen in what comes after it. */
function send(path: string, method: string, body: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(
      `${doors.base}${path}`,
      {
        agent,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
      },
      (res) => {
        text(res).then((read) => resolve({ status: res.statusCode ?? 0, text: read }), reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Keys and texts that have broken parsers, stores and prototypes before. */
const nasty = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '\u0000',
  '\ud800',
  '\udfff\ud800',
  '\u2028',
  '\ufeff',
  "'; DROP TABLE servers; --",
  '$(touch x)',
  '../../etc/passwd',
  '%00',
  'a'.repeat(10_000),
);
const numbers = fc.constantFrom(
  0,
  -0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  -(2 ** 63),
  Number.MAX_VALUE,
  Number.MIN_VALUE,
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium' },
    nasty,
    numbers,
    fc.constant(null),
    fc.boolean(),
    fc.string({ unit: 'binary' }),
    fc.array(tie('any'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(nasty, fc.string()), tie('any')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).any;

const TOOLS = [
  'health',
  'list_servers',
  'get_server',
  'inventory',
  'services',
  'list_jobs',
  'get_job',
  'trigger_job',
  'set_features',
];
const FIELDS = [
  'server_id',
  'job_id',
  'q',
  'limit',
  'offset',
  'state',
  'job_type',
  'source_filter',
  'os_steps',
  'dry_run',
  'backup',
  'detail',
];
const args = fc.oneof(
  value,
  fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), nasty), value, { maxKeys: 5 }),
);

const message = fc.oneof(
  value,
  fc.record(
    {
      jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: value }),
      id: fc.oneof(fc.integer(), fc.string({ unit: 'binary' }), value),
      method: fc.oneof(
        fc.constantFrom('tools/call', 'tools/list', 'initialize', 'ping', 'server/discover'),
        value,
      ),
      params: fc.oneof(
        value,
        fc.record(
          {
            name: fc.oneof(
              { weight: 4, arbitrary: fc.constantFrom(...TOOLS) },
              { weight: 1, arbitrary: value },
            ),
            arguments: args,
            protocolVersion: value,
            cursor: value,
            _meta: fc.oneof(
              value,
              fc.record({
                'io.modelcontextprotocol/protocolVersion': fc.oneof(fc.constant('2026-07-28'), value),
                'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant({}), value),
              }),
            ),
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  ),
);

/** JSON as it is, cut off, with a member twice, or much deeper than anybody means it. */
const body = fc
  .tuple(message, fc.constantFrom('as it is', 'as it is', 'cut', 'twice', 'deep', 'raw'), fc.nat(2_000))
  .map(([json, how, size]) => {
    const written = JSON.stringify(json);
    if (how === 'cut') return written.slice(0, size % (written.length + 1));
    if (how === 'twice') return written.replace('{', '{"id":1,"id":2,');
    if (how === 'deep') return `${'{"a":['.repeat(size)}${written}${']}'.repeat(size)}`;
    return how === 'raw' ? written.replaceAll('"', '') : written;
  });

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

// A small machine that does other things besides takes its time.
describe('hostile input', { timeout: 120_000 }, () => {
  it('to /mcp never fails the service, never hangs, and leaves the next call well', async () => {
    await fc.assert(
      fc.asyncProperty(
        body,
        fc.constantFrom({}, { 'mcp-protocol-version': '2026-07-28' }),
        async (sent, headers) => {
          const reply = await send('/mcp', 'POST', sent, headers);
          expect([200, 202, 400, 404]).toContain(reply.status);
          expect(reply.text).not.toContain('"code":"internal"');
          if (reply.status !== 202) expect(JSON.parse(reply.text)).toHaveProperty('jsonrpc', '2.0');
          expect(await send('/mcp', 'POST', PING)).toEqual({
            status: 200,
            text: '{"jsonrpc":"2.0","id":1,"result":{}}',
          });
        },
      ),
      { numRuns: 1_000 },
    );
    expect(doors.logger.messages('error')).toEqual([]);
  });

  it('to /api/v1 never fails the service either', async () => {
    const path = fc.constantFrom(
      '/servers/1/jobs',
      '/servers/2/features',
      '/servers/1/features',
      '/jobs/1/cancel',
    );
    const json = fc.oneof(
      args.map((given) => JSON.stringify(given)),
      body,
    );
    await fc.assert(
      fc.asyncProperty(path, json, async (at, sent) => {
        const reply = await send(`/api/v1${at}`, at.endsWith('features') ? 'PATCH' : 'POST', sent);
        expect([200, 202, 400, 404, 409, 422]).toContain(reply.status);
        expect(JSON.parse(reply.text)).toBeTypeOf('object');
      }),
      { numRuns: 300 },
    );
    expect(doors.logger.messages('error')).toEqual([]);
  });

  it('in the address is refused as well', async () => {
    const printable = fc.string({
      unit: fc.constantFrom(..."%/?&=+.;:@!$'()*,-_~#[]abc019%2F%00".split('')),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          printable,
          fc.webPath(),
          fc.webQueryParameters().map((q) => `?${q}`),
        ),
        async (tail) => {
          const path = `/api/v1/servers/${tail}`.replace(/[#\s]/g, '');
          const reply = await send(path, 'GET', '');
          expect([200, 204, 400, 404, 405, 422], path).toContain(reply.status);
        },
      ),
      { numRuns: 500 },
    );
    expect(doors.logger.messages('error')).toEqual([]);
  });

  it('of a mebibyte, of whatever shape, is read or refused', async () => {
    const shapes = [
      '"'.padEnd(LARGEST_BODY - 1, '\\') + '"',
      '['.repeat(LARGEST_BODY),
      '{"a":'.repeat(200_000),
      '1'.repeat(LARGEST_BODY),
      ' '.repeat(LARGEST_BODY),
    ];
    const keys = `{${Array.from({ length: 60_000 }, (_, index) => `"key${index}":0`).join(',')}}`;
    for (const shape of [
      ...shapes,
      keys,
      `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(LARGEST_BODY - 100)}"}`,
    ]) {
      expect([200, 400]).toContain((await send('/mcp', 'POST', shape)).status);
    }
    expect((await send('/mcp', 'POST', PING.padEnd(LARGEST_BODY, ' '))).status).toBe(200);
    expect((await send('/mcp', 'POST', PING.padEnd(LARGEST_BODY + 1, ' '))).status).toBe(413);
    expect((await send('/mcp', 'POST', PING)).status).toBe(200);
  });
});
