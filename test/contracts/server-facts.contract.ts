import { describe, expect, it } from 'vitest';
import { type ServerFacts, UNKNOWN_FACTS } from '../../src/domain/fleet/server.ts';
import { AT, addServer, type StoresSubject } from '../support/stores-subject.ts';

const ALL_FACTS: ServerFacts = {
  osType: 'linux',
  osId: 'debian',
  osVersion: '13',
  osPretty: 'Debian GNU/Linux 13 (trixie)',
  arch: 'x86_64',
  hardware: 'm'.repeat(2_000),
  cpuCores: 8,
  cpuLoad: 0.37,
  memoryTotalBytes: 2 ** 52,
  memoryUsedBytes: 1,
  diskTotalBytes: 2,
  diskUsedBytes: 0,
  containerCount: 3,
  lastSeenAt: AT,
  osUpdatesCount: 0,
  securityUpdatesCount: 4,
  containerUpdatesCount: 5,
  rebootPending: false,
  lastOsCheckAt: AT + 1,
  lastContainerCheckAt: AT + 2,
  inventoryAt: AT + 3,
  lastBackupAt: AT + 4,
  lastVerifiedAt: AT + 5,
  contactFailedSince: AT + 5,
  contactError: 'host_unreachable',
  diskFullAt: 1_800_000_000_000,
  diskFullMount: '/srv',
  onOwnMachine: true,
  supportEndsAt: AT + 6,
};

/** The facts of a `ServerStore`; a part of its contract. */
export function serverFactsContract(stores: () => StoresSubject): void {
  describe('learn', () => {
    it('keeps every fact, zero and false among them', async () => {
      const { servers } = stores();
      const id = await addServer(stores(), 'web');
      await servers.learn(id, ALL_FACTS);
      expect((await servers.find(id))?.facts).toEqual(ALL_FACTS);
    });

    it('overwrites what is given, also by unknown, and leaves the rest and the last change alone', async () => {
      const { servers } = stores();
      const id = await addServer(stores(), 'web');
      await servers.learn(id, ALL_FACTS);
      await servers.learn(id, { osId: null, rebootPending: true, cpuLoad: 2 });
      expect(await servers.find(id)).toMatchObject({
        facts: { ...ALL_FACTS, osId: null, rebootPending: true, cpuLoad: 2 },
        updatedAt: AT,
      });
    });

    it('does nothing without facts, or for a server that is gone', async () => {
      const { servers } = stores();
      const id = await addServer(stores(), 'web');
      await servers.learn(id, {});
      expect((await servers.find(id))?.facts).toEqual(UNKNOWN_FACTS);
      await servers.remove(id, AT, {});
      await servers.learn(id, ALL_FACTS);
      expect(await servers.find(id)).toBeNull();
    });
  });

  describe('inventoryDue', () => {
    it('gives servers without a fresh inventory, the most needy first', async () => {
      const { servers } = stores();
      const ages: [string, number | null][] = [
        ['old', AT - 50],
        ['fresh', AT],
        ['older', AT - 90],
        ['none', null],
      ];
      for (const [name, inventoryAt] of ages) {
        await servers.learn(await addServer(stores(), name), { inventoryAt });
      }
      const due = await servers.inventoryDue(AT, 10);
      expect(due.map(({ name }) => name)).toEqual(['none', 'older', 'old']);
      expect((await servers.inventoryDue(AT, 2)).map(({ name }) => name)).toEqual(['none', 'older']);
    });
  });
}
