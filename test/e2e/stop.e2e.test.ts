import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { eventually } from '../support/processes.ts';
import { useService } from '../support/service.ts';

const WITHIN_MS = 60_000;

describe('a service that is asked to stop', () => {
  const service = useService();

  /** A request of which the last byte is still to come. */
  async function half(token: string): Promise<{ socket: Socket; finish: () => void }> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const head = [
      'POST /mcp HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    const socket = connect(service().port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
    // A later request on another connection was answered: the request above was received, too.
    expect((await fetch(`${service().url}/healthz`)).status).toBe(200);
    return { socket, finish: () => socket.write(body.slice(-1)) };
  }

  const told = (): Promise<true> =>
    eventually('it takes no more connections', WITHIN_MS, () =>
      fetch(`${service().url}/readyz`).then(
        async (reply) => (await reply.body?.cancel(), undefined),
        () => true,
      ),
    );

  it('accepts nothing new, answers running requests, and ends well', async () => {
    const { socket, finish } = await half(await service().token());
    service().process.signal('SIGTERM');
    await told();
    expect(service().process.isRunning).toBe(true);
    finish();
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"tools"/);
    expect((await service().process.ended).code).toBe(0);
  });

  it('ends at once if asked again', async () => {
    await service().start();
    const token = await service().token('read', 'second');
    // Reading this machine would outlive it by some seconds.
    await eventually('it has read this machine', WITHIN_MS, async () => {
      const headers = { authorization: `Bearer ${token}` };
      const reply = await fetch(`${service().url}/api/v1/servers/1`, { headers });
      return z.object({ inventory_at: z.string() }).safeParse(await reply.json()).success || undefined;
    });
    const { socket } = await half(token);
    service().process.signal('SIGTERM');
    await told();
    expect(service().process.isRunning).toBe(true);
    service().process.signal('SIGTERM');
    expect((await service().process.ended).code).toBe(1);
    socket.destroy();
  });
});
