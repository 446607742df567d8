import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { TlsIdentity } from '../../../../src/adapters/inbound/http/listeners.ts';
import { PASSWORD } from '../../../support/accounts-scene.ts';
import { RENEWED, SELF_SIGNED } from '../../../support/certificates.ts';
import { openWebFixture } from '../web/web-fixture.ts';
import { openApiFixture } from './api-fixture.ts';

const CA = [SELF_SIGNED.cert, RENEWED.cert];
const HOST = '127.0.0.1';

const opened: { close(): Promise<void> }[] = [];
const closedAfter = <T extends { close(): Promise<void> }>(each: T): T => {
  opened.push(each);
  return each;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

/** An identity that the test can change, as files do. */
function identityOf(hstsDays = 30) {
  let current: { cert: string; key: string } = SELF_SIGNED;
  const listeners: ((pair: typeof current) => void)[] = [];
  const identity: TlsIdentity = {
    get current() {
      return current;
    },
    onChange: (listener) => listeners.push(listener),
    hstsDays,
  };
  return {
    identity,
    change: (pair: typeof current): void => {
      current = pair;
      for (const listener of listeners) listener(pair);
    },
  };
}

async function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: object; body?: string } = {},
) {
  const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
  const sent = request({
    host: HOST,
    port,
    path,
    method,
    ca: CA,
    agent: false,
    headers: { ...headers, ...length },
  });
  sent.end(body);
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: reply.statusCode, headers: reply.headers, text: await text(reply) };
}

/** The name in the certificate that is shown. */
async function shownBy(port: number): Promise<unknown> {
  const socket = connect({ host: HOST, port, ca: CA });
  await once(socket, 'secureConnect');
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return CN;
}

describe('over HTTPS', () => {
  it('every interface answers as over HTTP, and tells clients to use HTTPS from now on', async () => {
    const fixture = closedAfter(await openApiFixture());
    const { port } = await fixture.server.listenSecurely(HOST, 0, identityOf().identity);
    const authorization = `Bearer ${await fixture.token(['read'])}`;
    const replies = [
      await ask(port, '/readyz'),
      await ask(port, '/api/v1/health', { headers: { authorization } }),
      await ask(port, '/mcp', {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      }),
      await ask(port, '/metrics'),
      await ask(port, '/api/v1/openapi.json'),
    ];
    for (const reply of replies) {
      expect(reply.status).toBe(200);
      expect(reply.headers['strict-transport-security']).toBe('max-age=2592000');
      expect(reply.headers['x-content-type-options']).toBe('nosniff');
    }
    expect((await ask(port, '/nothing')).headers['strict-transport-security']).toBe('max-age=2592000');
    expect((await fixture.request('/readyz')).headers.get('strict-transport-security')).toBeNull();
  });

  it('may leave that to the operator', async () => {
    const fixture = closedAfter(await openApiFixture());
    const { port } = await fixture.server.listenSecurely(HOST, 0, identityOf(0).identity);
    expect((await ask(port, '/readyz')).headers['strict-transport-security']).toBeUndefined();
  });

  it('speaks nothing older than TLS 1.2', async () => {
    const fixture = closedAfter(await openApiFixture());
    const { port } = await fixture.server.listenSecurely(HOST, 0, identityOf().identity);
    const older = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const socket = connect({ host: HOST, port, rejectUnauthorized: false, ...older });
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toMatch(/protocol version/i);
  });

  it('shows a new certificate to clients that connect after the change, and breaks no connection', async () => {
    const fixture = closedAfter(await openApiFixture());
    const { identity, change } = identityOf();
    const { port } = await fixture.server.listenSecurely(HOST, 0, identity);
    expect(await shownBy(port)).toBe('drover test');
    const before = connect({ host: HOST, port, ca: SELF_SIGNED.cert });
    await once(before, 'secureConnect');
    change(RENEWED);
    expect(await shownBy(port)).toBe('drover test 2');
    before.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await text(before)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('gives browsers a cookie that stays with HTTPS and with this host', async () => {
    const fixture = closedAfter(await openWebFixture());
    const { port } = await fixture.server.listenSecurely(HOST, 0, identityOf().identity);
    const reply = await ask(port, '/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ name: 'root', password: PASSWORD }).toString(),
    });
    expect(reply.status).toBe(303);
    const [cookie = ''] = reply.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-drover=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    expect((await ask(port, '/', { headers: { cookie: cookie.split(';')[0] } })).status).toBe(200);
  });
});
