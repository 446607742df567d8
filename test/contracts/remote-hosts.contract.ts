import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HostKey, RemoteHosts, SshAccess } from '../../src/application/ports/fleet/remote-host.ts';
import { CONTRACT_SCRIPTS } from './remote-host.scripts.ts';

export interface RemoteHostsSubject {
  readonly hosts: RemoteHosts;
  /** A host that can be reached, logged in to and cut. */
  readonly access: SshAccess;
  /** A key of the right shape that the host does not have. */
  readonly otherKey: HostKey;
  /** The same host; the login is refused. */
  readonly refused: SshAccess;
  /** A host that does not exist. */
  readonly unreachable: SshAccess;
  /** A host that is reached through `access`. */
  readonly beyond: SshAccess;
  /** Breaks every connection to `access`. */
  cut(): void;
  close(): Promise<void>;
}

/** Every `RemoteHosts` that goes through a network does this. */
export function remoteHostsContract(name: string, makeSubject: () => Promise<RemoteHostsSubject>): void {
  describe(`RemoteHosts: ${name}`, () => {
    let subject: RemoteHostsSubject;
    const { exit, cat, wait } = CONTRACT_SCRIPTS;

    beforeAll(async () => {
      subject = await makeSubject();
    });
    afterEach(() => subject.cut());
    afterAll(async () => {
      await subject.hosts.closeAll();
      await subject.close();
    });

    describe('host keys', () => {
      it('are read without logging in', async () => {
        const { access, refused, hosts } = subject;
        expect(await hosts.scanHostKey(access)).toEqual(access.hostKey);
        expect(await hosts.scanHostKey(refused)).toEqual(access.hostKey);
      });

      it('are refused until one is confirmed, with the fingerprint to compare', async () => {
        const { hosts, access } = subject;
        await expect(hosts.connect({ ...access, hostKey: null })).rejects.toMatchObject({
          code: 'host_key_unknown',
          message: expect.stringContaining(access.hostKey?.fingerprint ?? '-'),
        });
      });

      it('are refused where another was confirmed, with the one that is presented', async () => {
        const { hosts, access, otherKey } = subject;
        await expect(hosts.connect({ ...access, hostKey: otherKey })).rejects.toMatchObject({
          code: 'host_key_mismatch',
          message: expect.stringContaining(access.hostKey?.fingerprint ?? '-'),
        });
      });
    });

    describe('what cannot be connected to', () => {
      it('is distinguished from a refused login', async () => {
        const { hosts, refused, unreachable } = subject;
        await expect(hosts.connect(unreachable)).rejects.toMatchObject({ code: 'host_unreachable' });
        await expect(hosts.connect(refused)).rejects.toMatchObject({
          code: 'host_auth_failed',
          message: expect.stringContaining(refused.username),
        });
      });

      it('names the server', async () => {
        const { hosts, unreachable } = subject;
        await expect(hosts.connect(unreachable)).rejects.toThrow(`"${unreachable.serverName}"`);
        await expect(hosts.scanHostKey(unreachable)).rejects.toMatchObject({ code: 'host_unreachable' });
      });
    });

    describe('a jump host', () => {
      it('carries commands and key scans', async () => {
        const { hosts, beyond, access } = subject;
        const host = await hosts.connect({ ...beyond, jump: access });
        expect((await host.run({ script: exit, args: ['7'] })).exitCode).toBe(7);
        expect(await hosts.scanHostKey({ ...beyond, jump: access })).toEqual(beyond.hostKey);
      });

      it('is held to its own key and login', async () => {
        const { hosts, beyond, access, otherKey, refused, unreachable } = subject;
        const through = (jump: SshAccess): Promise<unknown> => hosts.connect({ ...beyond, jump });
        await expect(through({ ...access, hostKey: otherKey })).rejects.toMatchObject({
          code: 'host_key_mismatch',
        });
        await expect(through(refused)).rejects.toMatchObject({ code: 'host_auth_failed' });
        await expect(through(unreachable)).rejects.toMatchObject({ code: 'host_unreachable' });
      });
    });

    describe('a connection that breaks', () => {
      it('ends what runs in host_connection_lost, and its output in the same error', async () => {
        const host = await subject.hosts.connect(subject.access);
        const process = await host.open({ script: wait });
        await once(process.stdout, 'data');
        process.stdout.resume();
        process.stderr.resume();
        const output = once(process.stdout, 'end');
        const run = host.run({ script: wait });
        const failures = Promise.allSettled([process.exit, output, run]);
        // the second command is sent before the first one could have answered
        await host.run({ script: exit, args: ['0'] });
        subject.cut();
        for (const failure of await failures) {
          expect(failure).toMatchObject({ status: 'rejected', reason: { code: 'host_connection_lost' } });
        }
      });

      it('is replaced for the next command', async () => {
        const host = await subject.hosts.connect(subject.access);
        await host.run({ script: exit, args: ['0'] });
        subject.cut();
        expect((await host.run({ script: cat, stdin: 'again' })).stdout.toString()).toBe('again');
      });
    });

    it('are not told apart from others by their names', async () => {
      const { hosts, access, otherKey } = subject;
      await hosts.connect(access);
      // a server whose pinned key was edited must not be reached over the connection made before
      await expect(hosts.connect({ ...access, hostKey: otherKey })).rejects.toMatchObject({
        code: 'host_key_mismatch',
      });
    });
  });
}
