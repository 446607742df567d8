import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from 'vitest';
import { openWebFixture, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture.close());

const ORIGIN = 'https://drover.example.org:8443';

/** Width and height as a PNG says them. */
const sizeOf = (png: Buffer): string => `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;

interface Message {
  readonly title: string;
  readonly options: { readonly body: string; readonly tag: string; readonly data: { readonly to: string } };
}

/** The worker as a browser runs it: its listeners, and what it shows and opens. */
function workerOf(text: string) {
  const listeners: Record<string, (event: object) => void> = {};
  const shown: Message[] = [];
  const opened: string[] = [];
  const self = {
    location: new URL(`${ORIGIN}/service-worker.js`),
    addEventListener: (on: string, listen: (event: object) => void) => {
      listeners[on] = listen;
    },
    registration: {
      showNotification: (title: string, options: Message['options']) => void shown.push({ title, options }),
    },
    clients: { matchAll: async () => [], openWindow: async (to: string) => void opened.push(to) },
  };
  runInNewContext(text, { self, URL });
  const happen = async (on: string, event: object): Promise<void> => {
    const waits: Promise<unknown>[] = [];
    listeners[on]?.({ ...event, waitUntil: (until: Promise<unknown>) => void waits.push(until) });
    await Promise.all(waits);
  };
  return { happen, shown, opened, listeners };
}

describe('The pages as an app', () => {
  test('have a manifest whose icons are there, in the size that they say', async () => {
    fixture = await openWebFixture();
    const browser = fixture.browser();
    const { text, headers } = await browser.get('/manifest.webmanifest');
    expect(headers.get('content-type')).toBe('application/manifest+json');
    const manifest = JSON.parse(text) as { icons: { src: string; sizes: string; type: string }[] };
    expect(manifest).toMatchObject({ name: 'Drover', start_url: '/', scope: '/', display: 'standalone' });
    expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(['any', '192x192', '512x512', '512x512']);
    for (const { src, sizes, type } of manifest.icons) {
      const answer = await fetch(`${fixture.base}${src}`);
      expect(answer.headers.get('content-type')).toBe(type);
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (type === 'image/png') expect(sizeOf(bytes)).toBe(sizes);
    }
    expect((await browser.get('/sign-in')).text).toContain('rel="manifest" href="/manifest.webmanifest"');
  });

  test('have a worker that keeps files which never change, and the page that says one is offline', async () => {
    fixture = await openWebFixture();
    const browser = fixture.browser();
    const { text, headers } = await browser.get('/service-worker.js');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; connect-src 'self'");
    const kept = JSON.parse(/^const KEPT = (.*);$/m.exec(text)?.[1] ?? '') as {
      files: string[];
      offline: string;
    };
    for (const path of kept.files) {
      expect(path).toMatch(/^\/static\/[0-9a-f]{12}\//);
      expect((await browser.get(path)).status).toBe(200);
    }
    expect((await browser.get(kept.offline)).text).toContain('Drover is unreachable');
    const used = [...(await browser.get('/sign-in')).text.matchAll(/"(\/static\/[^"]+)"/g)];
    for (const [, path] of used) expect(kept.files).toContain(path);
  });
});

describe('The worker', () => {
  const worker = async () => {
    fixture = await openWebFixture();
    return workerOf((await fixture.browser().get('/service-worker.js')).text);
  };
  const pushed = (message: object) => ({ data: { json: () => message } });

  test('shows a message, whose click opens its page', async () => {
    const { happen, shown, opened } = await worker();
    const link = `${ORIGIN}/jobs/7?from=push`;
    await happen('push', pushed({ id: 'u1', title: 'backup failed', message: 'on web-1', link }));
    expect(shown[0]).toMatchObject({ title: 'backup failed', options: { body: 'on web-1', tag: 'u1' } });
    const notification = { data: shown[0]?.options.data, close: () => {} };
    await happen('notificationclick', { notification });
    expect(opened).toEqual([link]);
  });

  test.each([
    ['https://evil.example/jobs/7', `${ORIGIN}/jobs/7`],
    ['https://evil.example//evil.example/x', `${ORIGIN}/evil.example/x`],
    ['//evil.example', `${ORIGIN}/`],
    ['javascript:alert(1)', `${ORIGIN}/alert(1)`],
    ['/servers/3', `${ORIGIN}/servers/3`],
    [null, `${ORIGIN}/`],
    [{ toString: 1 }, `${ORIGIN}/`],
  ])('never leads out of the service: %j', async (link, to) => {
    const { happen, shown } = await worker();
    await happen('push', pushed({ id: 'u1', title: 't', message: 'm', link }));
    expect(shown[0]?.options.data.to).toBe(to);
  });

  test('touches nothing but its files and the asking for pages', async () => {
    const { happen } = await worker();
    const asked = (over: object) => {
      let answered = false;
      const request = { url: `${ORIGIN}/jobs`, method: 'GET', mode: 'cors', ...over };
      const respondWith = (reply: Promise<unknown>): void => {
        answered = true;
        reply.catch(() => {});
      };
      return happen('fetch', { request, respondWith }).then(() => answered);
    };
    expect(await asked({})).toBe(false);
    expect(await asked({ method: 'POST', mode: 'navigate' })).toBe(false);
    expect(await asked({ url: 'https://evil.example/', mode: 'navigate' })).toBe(false);
  });
});
