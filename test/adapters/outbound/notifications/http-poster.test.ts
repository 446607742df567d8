import type { LookupAddress } from 'node:dns';
import { afterEach, describe, expect, it } from 'vitest';
import {
  HttpPoster,
  type PosterOptions,
} from '../../../../src/adapters/outbound/notifications/http-poster.ts';
import { answers, Receiver } from '../../../support/receiver.ts';

const NEVER = new AbortController().signal;
const v4 = (address: string): LookupAddress => ({ address, family: 4 });
const v6 = (address: string): LookupAddress => ({ address, family: 6 });

describe('Posting to where outsiders say', () => {
  const opened: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  const poster = (options: PosterOptions): HttpPoster => {
    const made = new HttpPoster(options);
    opened.push(made);
    return made;
  };
  const post = (by: HttpPoster, url: string) => by.post({ url, headers: {}, body: '{}', gone: [410] }, NEVER);
  async function listening(): Promise<{ receiver: Receiver; port: number }> {
    const receiver = new Receiver('whsec_');
    opened.push(receiver);
    return { receiver, port: await receiver.listen() };
  }

  it.each([
    ['a loopback address', [v4('127.0.0.1')]],
    ['a private one', [v4('10.1.2.3')]],
    ['a metadata service', [v4('169.254.169.254')]],
    ['loopback in IPv6', [v6('::1')]],
    ['a mapped address', [v6('::ffff:127.0.0.1')]],
    ['a public and a private one', [v4('8.8.8.8'), v4('192.168.0.1')]],
    ['a private one last of all', [v6('2606:4700::1111'), v4('1.1.1.1'), v6('fd00::1')]],
  ])('connects to no name that means %s', async (_, addresses) => {
    const { receiver, port } = await listening();
    const by = poster({ allowPrivate: false, resolve: async () => addresses });
    const attempt = await post(by, `http://hooks.example.org:${port}/`);
    expect(attempt).toMatchObject({ result: 'failed', statusCode: null });
    expect(attempt.error).toMatch(/^hooks\.example\.org resolves to \S+, which is/);
    expect(receiver.received).toEqual([]);
  });

  it.each([
    'http://127.0.0.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://127.1:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://0.0.0.0:PORT/',
    'http://localhost:PORT/',
  ])('does not connect to %s', async (url) => {
    const { receiver, port } = await listening();
    const attempt = await post(poster({ allowPrivate: false }), url.replace('PORT', String(port)));
    expect(attempt.result).toBe('failed');
    expect(attempt.error).toMatch(/(is not a public address|in the form of IPv6)\.$/);
    expect(receiver.received).toEqual([]);
  });

  it('connects to what was checked, though the name means something else a moment later', async () => {
    const { receiver, port } = await listening();
    let asked = 0;
    // The check sees an allowed address; a second lookup would get one that is not.
    const by = poster({
      allowPrivate: true,
      resolve: async () => {
        asked += 1;
        return asked === 1 ? [v4('127.0.0.1')] : [v4('169.254.169.254')];
      },
    });
    expect(await post(by, `http://rebind.example.org:${port}/`)).toMatchObject({ result: 'delivered' });
    expect(asked).toBe(1);
    expect(receiver.received).toHaveLength(1);
    receiver.behave.push(answers(204));
    await receiver.close();
    opened.splice(opened.indexOf(receiver), 1);
    const again = await post(by, `http://rebind.example.org:${port}/`);
    expect(again.error).toContain('169.254.169.254, which is the address of a cloud metadata service');
    expect(asked).toBe(2);
  });

  it('lets loopback in where an operator says so', async () => {
    const { receiver, port } = await listening();
    const by = poster({ allowPrivate: true });
    expect(await post(by, `http://localhost:${port}/`)).toMatchObject({ result: 'delivered' });
    expect(receiver.received[0]?.headers.host).toBe(`localhost:${port}`);
  });

  it.each([
    [
      "a name that is nobody's",
      async () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })),
    ],
    ['a name without an address', async () => []],
  ])('says that it does not know %s', async (_, resolve) => {
    const attempt = await post(poster({ allowPrivate: false, resolve }), 'http://nowhere.example.org/');
    expect(attempt.error).toMatch(/cannot be resolved|has no address/);
  });

  it('says that a certificate is not trusted, or is none', async () => {
    const { port } = await listening();
    const attempt = await post(poster({ allowPrivate: true }), `https://127.0.0.1:${port}/`);
    expect(attempt.error).toMatch(/^Its certificate or encryption/);
  });

  it('gives up a lookup that takes too long', async () => {
    const by = poster({ allowPrivate: true, limitMs: 50, resolve: () => new Promise(() => {}) });
    expect((await post(by, 'http://slow.example.org/')).error).toBe('It did not answer in time.');
  });
});
