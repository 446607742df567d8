import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { SshKeyMaker } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-keys.ts';
import { fakeHostKey } from '../../../../fakes/fake-host-key.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { eventually } from '../../../../support/processes.ts';
import { SshFixture } from './ssh-fixture.ts';

/** Numbers of SSH's messages (RFC 4250, 4.1.2). */
const MESSAGE = { disconnect: 1, keyExchangeStart: 20, newKeys: 21, keyExchange: 30 };

/** The messages in a stream that is not encrypted yet: a line, then packets of length, padding length, message. */
function messagesIn(stream: Buffer): number[] {
  const messages: number[] = [];
  let at = stream.indexOf('\n') + 1;
  while (at + 6 <= stream.length) {
    messages.push(stream[at + 5] ?? 0);
    at += 4 + stream.readUInt32BE(at);
  }
  return messages;
}

describeWith('ssh', 'connecting over SSH', () => {
  describe('to a host with keys of several types', () => {
    const fixture = new SshFixture([], ['ed25519', 'ecdsa', 'rsa']);

    it.each(['ed25519', 'ecdsa', 'rsa'])('works with its %s key pinned', async (type) => {
      const host = await fixture.host({}, { hostKey: fixture.sshd.hostKeys[type] ?? null });
      expect((await host.run({ script: 'exit 3' })).exitCode).toBe(3);
    });

    it('reads the ed25519 one', async () => {
      expect(await fixture.hosts().scanHostKey(fixture.access())).toEqual(fixture.sshd.hostKeys['ed25519']);
    });
  });

  describe('to a host that has a different key from the confirmed one', () => {
    const fixture = new SshFixture();

    it.each([
      ['another is pinned', fakeHostKey('other'), 'host_key_mismatch'],
      ['none is', null, 'host_key_unknown'],
    ])('sends nothing after the key, where %s', async (_, hostKey, code) => {
      await expect(fixture.host({}, { hostKey })).rejects.toMatchObject({ code });
      await eventually('the connection closes', 60_000, async () => fixture.wire.open === 0 || undefined);
      const sent = messagesIn(Buffer.concat(fixture.wire.sent)).filter(
        (message) => message !== MESSAGE.disconnect,
      );
      expect(sent).toEqual([MESSAGE.keyExchangeStart, MESSAGE.keyExchange]);
    });

    it('goes on where it is the right one', async () => {
      await fixture.host();
      const sent = messagesIn(Buffer.concat(fixture.wire.sent)).slice(0, 3);
      expect(sent).toEqual([MESSAGE.keyExchangeStart, MESSAGE.keyExchange, MESSAGE.newKeys]);
    });

    it('reports a pinned key of a type that the host no longer has', async () => {
      const algorithm = 'ecdsa-sha2-nistp256';
      const blob = Buffer.concat([
        Buffer.from([0, 0, 0, algorithm.length]),
        Buffer.from(algorithm),
        Buffer.alloc(80),
      ]);
      const hostKey = { algorithm, blob: blob.toString('base64'), fingerprint: 'SHA256:gone' };
      await expect(fixture.host({}, { hostKey })).rejects.toMatchObject({
        code: 'host_key_mismatch',
        message: expect.stringContaining(fixture.sshd.hostKeys['ed25519']?.fingerprint ?? '-'),
      });
    });

    it('explains how to compare and what to do', async () => {
      await expect(fixture.host({}, { hostKey: null })).rejects.toThrow(
        /ssh-keygen -lf .* then confirm it: drover server check \d+ --host-key SHA256:\S{43}$/,
      );
    });
  });

  describe('with a key', () => {
    const fixture = new SshFixture();

    it('that is not allowed names its fingerprint and where it belongs, and says nothing of it', async () => {
      const stranger = await new SshKeyMaker().generate('stranger');
      const authentication = { kind: 'key', privateKey: stranger.privateKey } as const;
      const error: unknown = await fixture.host({}, { authentication }).catch((refusal: unknown) => refusal);
      expect(error).toMatchObject({
        code: 'host_auth_failed',
        message: expect.stringMatching(/SHA256:.*authorized_keys/),
      });
      expect(inspect(error, { depth: 9 })).toContain(stranger.fingerprint);
      expect(inspect(error, { depth: 9 })).not.toContain(stranger.privateKey.split('\n')[2]);
    });

    it('that is damaged says so, and nothing of it', async () => {
      const privateKey = fixture.sshd.privateKey.slice(0, 200);
      const authentication = { kind: 'key', privateKey } as const;
      const error: unknown = await fixture.host({}, { authentication }).catch((refusal: unknown) => refusal);
      expect(error).toMatchObject({
        code: 'host_auth_failed',
        message: expect.stringContaining('cannot be read'),
      });
      expect(inspect(error, { depth: 9 })).not.toContain(privateKey.split('\n')[1]);
      expect(fixture.wire.count).toBe(0);
    });

    it('for a user that is not there says what to check', async () => {
      await expect(fixture.host({}, { username: 'nobody-of-that-name' })).rejects.toMatchObject({
        code: 'host_auth_failed',
        message: expect.stringContaining('check that the user exists'),
      });
    });
  });

  describe('to something else', () => {
    const fixture = new SshFixture();
    let server: Server | undefined;

    afterEach(() => server?.close());
    const listen = async (onConnection: (socket: Socket) => void): Promise<number> => {
      server = createServer(onConnection).listen(0, '127.0.0.1');
      await once(server, 'listening');
      // an address of a TCP server
      return (server.address() as AddressInfo).port;
    };
    const options = { handshakeTimeoutMs: 300 };

    it.each([
      ['accepts and says nothing', (socket: Socket) => socket.on('error', () => undefined), /within 0.3 s/],
      ['accepts and closes', (socket: Socket) => socket.end(), /closed the connection/],
      ['accepts and resets', (socket: Socket) => socket.resetAndDestroy(), /closed the connection/],
      ['speaks HTTP', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), /127\.0\.0\.1/],
    ])('that %s fails as host_unreachable', async (_, onConnection, message) => {
      const port = await listen(onConnection);
      const connecting = fixture.hosts(options).connect(fixture.access({ port }));
      await expect(connecting).rejects.toMatchObject({
        code: 'host_unreachable',
        message: expect.stringMatching(message),
      });
      const scanning = fixture.hosts(options).scanHostKey(fixture.access({ port }));
      await expect(scanning).rejects.toMatchObject({ code: 'host_unreachable' });
    });

    it('that is a name without an address fails as host_unreachable, with the name', async () => {
      const connecting = fixture.hosts().connect(fixture.access({ hostname: 'web1.invalid' }));
      await expect(connecting).rejects.toMatchObject({
        code: 'host_unreachable',
        message: expect.stringContaining('web1.invalid'),
      });
    });

    it('stops at once when aborted', async () => {
      const abort = new AbortController();
      const port = await listen((socket) => socket.on('error', () => undefined));
      const reason = new Error('cancelled by a test');
      const connecting = fixture.hosts().connect(fixture.access({ port }), { signal: abort.signal });
      const refused = expect(connecting).rejects.toBe(reason);
      abort.abort(reason);
      await refused;
    });
  });
});
