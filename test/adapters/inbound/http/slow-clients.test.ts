import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../support/processes.ts';
import { type ApiFixture, type ApiFixtureOptions, openApiFixture } from './api-fixture.ts';

const WITHIN_MS = 60_000;

let fixture: ApiFixture;
const sockets: Socket[] = [];
const open = async (options: ApiFixtureOptions = {}): Promise<ApiFixture> => {
  fixture = await openApiFixture(options);
  return fixture;
};
const dial = async (): Promise<Socket> => {
  const socket = connect(fixture.port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
};
/** A promise that the test settles. */
function deferred() {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await fixture.close();
});

describe('clients that are slow on purpose', () => {
  it('are ended while they still send their headers, and others do not notice', async () => {
    await open({ connections: { headersTimeout: 500 } });
    const slow = await Promise.all(Array.from({ length: 50 }, dial));
    for (const socket of slow) socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n');
    const drip = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('X-Slow: 1\r\n');
    }, 200);
    const endings = Promise.all(slow.map((socket) => text(socket).catch(() => '')));
    try {
      expect((await fixture.request('/readyz')).status).toBe(200);
      for (const said of await endings) expect(said).toMatch(/^(HTTP\/1\.1 408 |$)/);
      expect((await fixture.request('/readyz')).status).toBe(200);
    } finally {
      clearInterval(drip);
    }
  });

  it('cannot take every connection from one address, and get none back until they release some', async () => {
    await open({ connections: { mostPerAddress: 3 } });
    const held = [await dial(), await dial(), await dial()];
    const refused = await dial();
    await once(refused, 'close');
    held[0]?.destroy();
    await eventually('there is room again', WITHIN_MS, () =>
      fixture.request('/healthz').then(
        ({ status }) => status === 200 || undefined,
        () => undefined,
      ),
    );
  });

  it('do not keep a trusted proxy from connecting for others', async () => {
    await open({ connections: { mostPerAddress: 1 }, trustedProxies: ['127.0.0.1'] });
    await Promise.all([dial(), dial(), dial()]);
    expect((await fixture.request('/healthz')).status).toBe(200);
  });

  it('cannot take more connections than there are, together', async () => {
    await open({ connections: { most: 2 } });
    await Promise.all([dial(), dial()]);
    await once(await dial(), 'close');
  });
});

describe('a stop', () => {
  it('is seen at once by clients with an open connection, and a running request is answered', async () => {
    const begun = deferred();
    const gate = deferred();
    await open({ ping: () => (begun.resolve(), gate.promise) });
    const socket = await dial();
    const said = text(socket);
    socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await begun.promise;
    const closed = fixture.close();
    socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await eventually('the second request was looked at', WITHIN_MS, () =>
      Promise.resolve(fixture.logger.messages('debug').length > 0 || undefined),
    );
    gate.resolve();
    expect(await said).toMatch(
      /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 503 [\s\S]*Connection: close[\s\S]*is being stopped/,
    );
    await closed;
  });
});
