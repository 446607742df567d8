import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { HttpPoster } from '../../src/adapters/outbound/notifications/http-poster.ts';
import { HttpWebhookSender } from '../../src/adapters/outbound/notifications/http-webhook-sender.ts';
import { EVENT_TYPES } from '../../src/domain/events/event.ts';
import { makeWebhookSecret } from '../../src/domain/events/webhook.ts';
import { Receiver } from '../support/receiver.ts';
import { ROOT } from './markdown.ts';

const page = await readFile(join(ROOT, 'docs/webhooks.md'), 'utf8');

test('The page on webhooks names every event', () => {
  for (const type of EVENT_TYPES) expect(page).toContain(`\`${type}\``);
});

test('The documented recipe accepts what is signed, and nothing else', async () => {
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  const directory = await mkdtemp(join(tmpdir(), 'drover-recipe-'));
  const secret = makeWebhookSecret((count) => new Uint8Array(count).fill(9));
  const receiver = new Receiver(secret);
  const poster = new HttpPoster({ allowPrivate: true });
  onTestFinished(async () => {
    poster.close();
    await receiver.close();
    await rm(directory, { recursive: true });
  });
  const file = join(directory, 'recipe.mjs');
  await writeFile(file, code);
  const { isFromDrover } = await import(pathToFileURL(file).href);
  const message = {
    url: `http://127.0.0.1:${await receiver.listen()}/`,
    secrets: [makeWebhookSecret((count) => new Uint8Array(count)), secret],
    id: 'm-1',
    at: Date.now(),
    body: '{"type":"ping"}',
  };
  await new HttpWebhookSender({ poster }).send(message, AbortSignal.timeout(10_000));
  await new HttpWebhookSender({ poster }).send({ ...message, at: 0 }, AbortSignal.timeout(10_000));
  const [fresh, old] = receiver.received;
  expect(isFromDrover(secret, fresh?.headers, fresh?.body)).toBe(true);
  expect(isFromDrover(secret, fresh?.headers, `${fresh?.body} `)).toBe(false);
  expect(isFromDrover(`${secret.slice(0, -6)}AAAA==`, fresh?.headers, fresh?.body)).toBe(false);
  expect(isFromDrover(secret, old?.headers, old?.body)).toBe(false);
  expect(isFromDrover(secret, {}, fresh?.body)).toBe(false);
});
