import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES } from '../../../../src/adapters/inbound/http/body.ts';
import { rounds } from '../../../support/rounds.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';
import { args, body, PING } from './hostile-bodies.ts';

let fixture: ApiFixture;
let token: string;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'jobs', 'edit']);
});
afterAll(async () => {
  agent.destroy();
  await fixture.close();
});

/** Over kept connections, so that the effects of a bad request on the next one would show. */
function send(path: string, method: string, content: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(
      `${fixture.base}${path}`,
      {
        agent,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(content),
          ...headers,
        },
      },
      (res) => {
        text(res).then((read) => resolve({ status: res.statusCode ?? 0, text: read }), reject);
      },
    );
    sent.on('error', reject);
    sent.end(content);
  });
}

// A small machine with other load is slow.
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
      { numRuns: rounds(250, 5_000) },
    );
    expect(fixture.logger.messages('error')).toEqual([]);
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
      { numRuns: rounds(100, 2_000) },
    );
    expect(fixture.logger.messages('error')).toEqual([]);
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
      { numRuns: rounds(150, 2_000) },
    );
    expect(fixture.logger.messages('error')).toEqual([]);
  });

  it('of a mebibyte, of whatever shape, is read or refused', async () => {
    const shapes = [
      '"'.padEnd(MAX_BODY_BYTES - 1, '\\') + '"',
      '['.repeat(MAX_BODY_BYTES),
      '{"a":'.repeat(200_000),
      '1'.repeat(MAX_BODY_BYTES),
      ' '.repeat(MAX_BODY_BYTES),
    ];
    const keys = `{${Array.from({ length: 60_000 }, (_, index) => `"key${index}":0`).join(',')}}`;
    for (const shape of [
      ...shapes,
      keys,
      `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(MAX_BODY_BYTES - 100)}"}`,
    ]) {
      expect([200, 400]).toContain((await send('/mcp', 'POST', shape)).status);
    }
    expect((await send('/mcp', 'POST', PING.padEnd(MAX_BODY_BYTES, ' '))).status).toBe(200);
    expect((await send('/mcp', 'POST', PING.padEnd(MAX_BODY_BYTES + 1, ' '))).status).toBe(413);
    expect((await send('/mcp', 'POST', PING)).status).toBe(200);
  });
});
