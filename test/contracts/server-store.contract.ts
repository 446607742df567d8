import { beforeEach, describe, expect, it } from 'vitest';
import { UNKNOWN_FACTS } from '../../src/domain/fleet/server.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  addServer,
  brokenRecord,
  type MakeStores,
  newServer,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';
import { serverFactsContract } from './server-facts.contract.ts';
import { serverListContract } from './server-list.contract.ts';

/** What every `ServerStore` does. */
export function serverStoreContract(name: string, makeStores: MakeStores): void {
  describe(`ServerStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    adding(() => stores);
    changing(() => stores);
    removing(() => stores);
    serverListContract(() => stores);
    serverFactsContract(() => stores);
  });
}

const EVERYTHING = newServer('db-1', {
  tags: ['eu', 'quote"d', 'wéb'],
  features: { backup: false, os_patch: true, docker: true },
  jail: '/srv/jail',
  jailDeny: ['*.sqlite', 'secrets'],
  composeDirs: ['/srv/stacks'],
  updateChecks: ['tcp 22'],
  address: {
    hostname: '2001:db8::1',
    sshPort: 2222,
    sshUsername: 'ops',
    hostKey: { algorithm: 'ssh-ed25519', blob: 'AAAA', fingerprint: 'SHA256:abc' },
    become: 'sudo',
  },
});

function adding(stores: () => StoresSubject): void {
  describe('add', () => {
    it('keeps everything that was said, knows no facts, and finds it by id and name', async () => {
      const { servers } = stores();
      const server = await servers.add(EVERYTHING, AT, noRecord);
      expect(server).toEqual({
        ...EVERYTHING,
        id: server.id,
        alertsOpen: 0,
        worstAlert: null,
        criticalKind: null,
        facts: UNKNOWN_FACTS,
        createdAt: AT,
        updatedAt: AT,
      });
      expect(await servers.find(server.id)).toEqual(server);
      expect(await servers.findByName('db-1')).toEqual(server);
      expect(await servers.find(server.id + 1)).toBeNull();
      expect(await servers.findByName('DB-1')).toBeNull();
    });

    it('keeps the key to log in with and the server to jump through', async () => {
      const { servers, keys } = stores();
      const key = await keys.add(
        { name: 'k', algorithm: 'ssh-ed25519', publicKey: 'p', fingerprint: 'f', createdAt: AT },
        () => 'sealed',
        noRecord,
      );
      const jump = await addServer(stores(), 'jump');
      const address = { sshKeyId: key.id, jumpServerId: jump };
      const { id } = await servers.add(newServer('behind', { address }), AT, noRecord);
      expect((await servers.find(id))?.address).toMatchObject(address);
    });

    it('refuses a name that is there, to the letter', async () => {
      await addServer(stores(), 'web');
      await expectRefusal(stores().servers.add(newServer('web'), AT, noRecord), 'name_taken');
      await addServer(stores(), 'Web');
      await addServer(stores(), 'web ');
    });

    it('lets one of many at once have a name', async () => {
      const tries = Array.from({ length: 12 }, () => stores().servers.add(newServer('one'), AT, noRecord));
      const outcomes = await Promise.allSettled(tries);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'name_taken' });
      }
    });

    it('leaves its record with the new id, and keeps neither where the record fails', async () => {
      const { servers, record } = stores();
      const { id } = await servers.add(newServer('kept'), AT, trailOf('server.add', 'server'));
      await expect(servers.add(newServer('lost'), AT, brokenRecord)).rejects.toThrow('no record today');
      expect(await servers.findByName('lost')).toBeNull();
      expect(await record()).toEqual({ audit: [`server.add server:${id}`], events: ['server.recovered'] });
    });
  });
}

function changing(stores: () => StoresSubject): void {
  describe('change and setFeatures', () => {
    it('change what is named and nothing else', async () => {
      const { servers } = stores();
      const before = await servers.add(EVERYTHING, AT, noRecord);
      const change = {
        jail: null,
        jailDeny: [],
        composeDirs: [],
        tags: ['us'],
        address: { sshPort: 22, hostKey: null },
      };
      const after = await servers.change(before.id, change, AT + 5, noRecord);
      expect(after).toEqual({
        ...before,
        jail: null,
        jailDeny: [],
        composeDirs: [],
        tags: ['us'],
        address: { ...before.address, sshPort: 22, hostKey: null },
        updatedAt: AT + 5,
      });
      expect(await servers.find(before.id)).toEqual(after);
      const flagged = await servers.setFeatures(before.id, { docker: false }, AT + 9, noRecord);
      expect(flagged).toEqual({
        ...after,
        features: { backup: false, os_patch: true, docker: false },
        updatedAt: AT + 9,
      });
      expect(await servers.find(before.id)).toEqual(flagged);
    });

    it('keep what was learnt', async () => {
      const { servers } = stores();
      const id = await addServer(stores(), 'web');
      await servers.learn(id, { osId: 'debian' });
      await servers.change(id, { name: 'www' }, AT, noRecord);
      expect((await servers.findByName('www'))?.facts.osId).toBe('debian');
    });

    it('refuse a name that another has, and take the own one', async () => {
      const { servers } = stores();
      await addServer(stores(), 'web');
      const id = await addServer(stores(), 'db');
      await expectRefusal(servers.change(id, { name: 'web' }, AT, noRecord), 'name_taken');
      expect((await servers.change(id, { name: 'db' }, AT, noRecord)).name).toBe('db');
    });

    it('refuse a server that is not there', async () => {
      const { servers } = stores();
      await expectRefusal(servers.change(999_999, { jail: null }, AT, noRecord), 'server_not_found');
      await expectRefusal(servers.setFeatures(999_999, { backup: true }, AT, noRecord), 'server_not_found');
    });

    it('leave their record, or change nothing', async () => {
      const { servers, record } = stores();
      const id = await addServer(stores(), 'web');
      await servers.change(id, { tags: ['a'] }, AT, trailOf('server.edit', 'server'));
      await servers.setFeatures(id, { docker: true }, AT, trailOf('server.features', 'server'));
      await expect(servers.change(id, { tags: [] }, AT, brokenRecord)).rejects.toThrow('no record today');
      expect((await servers.find(id))?.tags).toEqual(['a']);
      expect((await record()).audit).toEqual([`server.edit server:${id}`, `server.features server:${id}`]);
    });

    it('lose no change where two are made at once', async () => {
      const { servers } = stores();
      const id = await addServer(stores(), 'web');
      await Promise.all([
        servers.change(id, { tags: ['a'] }, AT, noRecord),
        servers.setFeatures(id, { docker: true }, AT, noRecord),
        servers.change(id, { jail: '/srv' }, AT, noRecord),
      ]);
      expect(await servers.find(id)).toMatchObject({ tags: ['a'], jail: '/srv', features: { docker: true } });
    });
  });
}

function removing(stores: () => StoresSubject): void {
  describe('remove', () => {
    it('takes it out of everything and frees its name', async () => {
      const { servers } = stores();
      const id = await addServer(stores(), 'web');
      await servers.remove(id, AT, {});
      expect(await servers.find(id)).toBeNull();
      expect(await servers.findByName('web')).toBeNull();
      expect((await servers.list({}, { limit: 10, offset: 0 })).total).toBe(0);
      expect((await servers.totals({}, AT)).hosts).toBe(0);
      expect(await servers.inventoryDue(AT, 10)).toEqual([]);
      expect(await addServer(stores(), 'web')).not.toBe(id);
    });

    it('refuses one that does not exist, or no longer', async () => {
      const { servers } = stores();
      const id = await addServer(stores(), 'web');
      await servers.remove(id, AT, {});
      await expectRefusal(servers.remove(id, AT, {}), 'server_not_found');
      await expectRefusal(servers.remove(id + 9, AT, {}), 'server_not_found');
    });

    it('refuses while a job of the server is active, naming it', async () => {
      const { servers, setActiveJob, record } = stores();
      const id = await addServer(stores(), 'web');
      await setActiveJob(id, true);
      const refusal = await expectRefusal(
        servers.remove(id, AT, trailOf('server.remove', 'server')({ id })),
        'job_already_active',
      );
      expect(refusal.message).toContain('(backup) is still running');
      expect((await record()).audit).toEqual([]);
      await setActiveJob(id, false);
      await servers.remove(id, AT, trailOf('server.remove', 'server')({ id }));
      expect((await record()).audit).toEqual([`server.remove server:${id}`]);
    });
  });
}
