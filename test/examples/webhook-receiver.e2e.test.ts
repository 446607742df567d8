import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { expect, test } from 'vitest';
import { HttpPoster } from '../../src/adapters/outbound/notifications/http-poster.ts';
import { HttpWebhookSender } from '../../src/adapters/outbound/notifications/http-webhook-sender.ts';
import { makeWebhookSecret } from '../../src/domain/events/webhook.ts';
import { ROOT } from '../docs/markdown.ts';
import { eventually } from '../support/processes.ts';

const secretOf = (byte: number): string => makeWebhookSecret((count) => new Uint8Array(count).fill(byte));
const SECRET = secretOf(7);
const BODY = JSON.stringify({
  type: 'backup.stale',
  timestamp: '2026-11-20T05:00:00.000Z',
  data: { severity: 'critical', title: 'The backups of web-1 are stale' },
});

test('The receiver in examples/ takes what is signed, prints each message once, and refuses the rest', async () => {
  const child = spawn(process.execPath, [join(ROOT, 'examples/webhook-receiver/receiver.mjs')], {
    env: { SECRET, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const poster = new HttpPoster({ allowPrivate: true });
  const sender = new HttpWebhookSender({ poster });
  try {
    const lines: Interface = createInterface(child.stdout);
    const printed: string[] = [];
    lines.on('line', (line) => printed.push(line));
    await once(lines, 'line');
    const url = `http://127.0.0.1:${printed[0]?.replace('listening on ', '')}/`;
    const send = async (id: string, secret: string, body = BODY): Promise<number | null> => {
      const message = { url, secrets: [secret], id, at: Date.now(), body };
      return (await sender.send(message, AbortSignal.timeout(10_000))).statusCode;
    };
    expect(await send('m-1', SECRET)).toBe(204);
    expect(await send('m-1', SECRET)).toBe(204);
    expect(await send('m-2', secretOf(8))).toBe(401);
    expect(await send('m-3', SECRET, JSON.stringify({ more: 'x'.repeat(70_000) }))).toBe(413);
    expect(await send('m-4', SECRET)).toBe(204);
    const line = '2026-11-20T05:00:00.000Z backup.stale critical: The backups of web-1 are stale';
    // Another process's output may arrive after its answer.
    await eventually('both are printed', 60_000, async () => printed.length > 2 || undefined);
    expect(printed.slice(1)).toEqual([line, line]);
  } finally {
    poster.close();
    child.kill();
    await once(child, 'exit');
  }
});
