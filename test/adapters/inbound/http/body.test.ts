import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES } from '../../../../src/adapters/inbound/http/body.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

const PATH = '/api/v1/servers/2/features';

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'edit']);
});
afterAll(() => fixture.close());

const patch = (body: string | Buffer, headers: Record<string, string> = {}) =>
  fixture.request(PATH, { method: 'PATCH', token, body, headers });

/** A JSON object of this many bytes. */
const sized = (bytes: number): string => `{"x":"${'a'.repeat(bytes - 8)}"}`;

describe('bodies', () => {
  it.each([['application/json'], ['application/json; charset=utf-8'], ['Application/JSON;charset="UTF-8"']])(
    'are taken as %s',
    async (type) => {
      expect((await patch('{"backup":false}', { 'content-type': type })).status).toBe(200);
    },
  );

  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/json-patch+json'],
    ['application/json; charset=latin1'],
    ['multipart/form-data; boundary=x'],
    [''],
  ])('are not taken as "%s"', async (type) => {
    const reply = await patch('{"backup":false}', { 'content-type': type });
    expect(reply).toMatchObject({ status: 415, json: { code: 'unsupported_media_type' } });
  });

  it('are not taken compressed', async () => {
    expect(await patch('x', { 'content-encoding': 'gzip' })).toMatchObject({ status: 415 });
  });

  it.each([
    '{',
    '{"backup":true,"backup":false}',
    '{"__proto__":{}}',
    `${'['.repeat(100)}${']'.repeat(100)}`,
  ])('are refused when they are not plain JSON: %s', async (body) => {
    expect(await patch(body)).toMatchObject({ status: 400, json: { code: 'invalid_json' } });
  });

  it('are refused when they are not UTF-8', async () => {
    const reply = await patch(Buffer.from([0x22, 0xff, 0xfe, 0x22]));
    expect(reply).toMatchObject({ status: 400, json: { code: 'invalid_json' } });
  });

  it('may have a mebibyte and not a byte more', async () => {
    expect(await patch(sized(MAX_BODY_BYTES))).toMatchObject({
      status: 422,
      json: { errors: [{ path: '/x' }] },
    });
    for (const size of [MAX_BODY_BYTES + 1, 4 * MAX_BODY_BYTES]) {
      const reply = await patch(sized(size));
      expect(reply).toMatchObject({ status: 413, json: { code: 'body_too_large' } });
      expect(reply.headers.get('connection')).toBe('close');
    }
    expect((await patch('{"backup":false}')).status).toBe(200);
  });

  it('are counted as they come, whatever length is announced', async () => {
    const socket = connect(fixture.port, '127.0.0.1');
    socket.write(
      `PATCH ${PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
    );
    const chunk = 'a'.repeat(65_536);
    for (let sent = 0; sent <= MAX_BODY_BYTES; sent += chunk.length) socket.write(`10000\r\n${chunk}\r\n`);
    socket.write('0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 413 /);
  });

  it('are read with their headers, after them, in pieces, and several on one connection', async () => {
    const socket = connect(fixture.port, '127.0.0.1');
    const body = '{"backup":true}';
    const head = (last = '') =>
      `PATCH ${PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${last}\r\n`;
    const requests = [
      [`${head()}${body}`],
      [head(), body],
      [`${head()}${body.slice(0, 4)}`, body.slice(4)],
      [`${head()}${body}${head()}${body}`],
      [`${head('Connection: close\r\n')}${body}`],
    ];
    for (const piece of requests.flat()) {
      socket.write(piece);
      await sleep(20);
    }
    expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(
      Array.from({ length: 6 }, () => 'HTTP/1.1 200'),
    );
  });

  it('that break off leave the service well', async () => {
    const socket = connect(fixture.port, '127.0.0.1');
    await new Promise<void>((resolve) => {
      socket.write(
        `PATCH ${PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"ba`,
        () => resolve(),
      );
    });
    socket.destroy();
    expect((await patch('{"backup":false}')).status).toBe(200);
    expect(fixture.logger.messages('error')).toEqual([]);
  });

  it('are not read before the caller is known', async () => {
    const reply = await fixture.request(PATH, { method: 'PATCH', body: '{' });
    expect(reply.status).toBe(401);
  });
});
