import { describe, expect, it } from 'vitest';
import type { ServerFilter } from '../../src/application/ports/fleet/server-store.ts';
import type { ServerNeed, ServerOrder } from '../../src/domain/fleet/server-list.ts';
import { AT, addServer, newServer, noRecord, type StoresSubject } from '../support/stores-subject.ts';

const ALL = { limit: 100, offset: 0 };

/** How a `ServerStore` lists and counts; a part of its contract. */
export function serverListContract(stores: () => StoresSubject): void {
  const names = async (filter: ServerFilter, order?: ServerOrder): Promise<readonly string[]> =>
    (await stores().servers.list(filter, ALL, order)).items.map(({ name }) => name);

  describe('list', () => {
    it('goes by name, a window at a time, and has the total', async () => {
      for (const name of ['web', 'db', 'mail', 'Web']) await addServer(stores(), name);
      expect(await names({})).toEqual(['Web', 'db', 'mail', 'web']);
      const window = await stores().servers.list({}, { limit: 2, offset: 1 });
      expect(window).toMatchObject({ total: 4, limit: 2, offset: 1 });
      expect(window.items.map(({ name }) => name)).toEqual(['db', 'mail']);
      expect((await stores().servers.list({}, { limit: 2, offset: 9 })).items).toEqual([]);
      const uncounted = await stores().servers.list({}, { limit: 2, offset: 1, uncounted: true });
      expect(uncounted.items).toEqual(window.items);
      expect(uncounted.total).toBeGreaterThanOrEqual(3);
    });

    it('searches names, host names and tags, anywhere and whatever the case', async () => {
      const { servers } = stores();
      await servers.add(newServer('Web-1', { address: { hostname: 'one.Example.org' } }), AT, noRecord);
      await servers.add(newServer('db', { address: { hostname: 'two' }, tags: ['WÉST', 'x'] }), AT, noRecord);
      expect(await names({ q: 'wEB-' })).toEqual(['Web-1']);
      expect(await names({ q: 'example' })).toEqual(['Web-1']);
      expect(await names({ q: 'wést' })).toEqual(['db']);
      expect(await names({ q: 'nowhere' })).toEqual([]);
      expect(await names({ q: '' })).toEqual(['Web-1', 'db']);
    });

    it.each(['%', '_', '\\', "'", '"', '["'])('takes %s in a search as it is', async (sign) => {
      const { servers } = stores();
      await servers.add(newServer('plain', { address: { hostname: 'h' }, tags: ['x', 'y'] }), AT, noRecord);
      await servers.add(newServer(`a${sign}b`, { address: { hostname: 'h' } }), AT, noRecord);
      expect(await names({ q: sign })).toEqual([`a${sign}b`]);
    });

    it('finds a text in one of them, never across two', async () => {
      const { servers } = stores();
      await servers.add(newServer('ab', { address: { hostname: 'cd' }, tags: ['ef', 'gh'] }), AT, noRecord);
      for (const q of ['bc', 'de', 'fg', 'f","g', 'ab\ncd']) expect(await names({ q })).toEqual([]);
    });

    it('keeps to those that have a feature on', async () => {
      const { servers } = stores();
      for (const name of ['one', 'other']) await addServer(stores(), name);
      const other = await servers.findByName('other');
      await servers.setFeatures(other?.id ?? 0, { docker: true }, AT, noRecord);
      const one = await servers.findByName('one');
      await servers.setFeatures(one?.id ?? 0, { docker: false }, AT, noRecord);
      expect(await names({ feature: 'docker' })).toEqual(['other']);
    });

    it('keeps to those that need something, as the totals count them', async () => {
      const { servers } = stores();
      const ids: Record<string, number> = {};
      const needy = ['security', 'os', 'containers', 'reboot', 'unknown', 'ignored', 'down', 'new', 'full'];
      for (const name of ['fine', 'young', 'never', 'stale', 'unset', ...needy]) {
        const addedAt = name === 'never' ? AT - 1 : AT;
        ids[name] = (await servers.add(newServer(name), addedAt, noRecord)).id;
        await servers.learn(ids[name], {
          lastBackupAt: AT,
          osUpdatesCount: 0,
          securityUpdatesCount: 0,
          rebootPending: false,
          inventoryAt: name === 'new' ? null : AT,
        });
      }
      for (const name of ['never', 'young']) await servers.learn(ids[name] ?? 0, { lastBackupAt: null });
      await servers.learn(ids['stale'] ?? 0, { lastBackupAt: AT - 1 });
      await servers.setFeatures(ids['unset'] ?? 0, { backup: false }, AT, noRecord);
      await servers.learn(ids['unset'] ?? 0, { lastBackupAt: null });
      await servers.learn(ids['security'] ?? 0, { securityUpdatesCount: 1 });
      await servers.learn(ids['os'] ?? 0, { osUpdatesCount: 2 });
      await servers.learn(ids['containers'] ?? 0, { containerUpdatesCount: 3 });
      await servers.learn(ids['reboot'] ?? 0, { rebootPending: true });
      await servers.learn(ids['unknown'] ?? 0, { securityUpdatesCount: null });
      await servers.setFeatures(ids['unknown'] ?? 0, { os_patch: true }, AT, noRecord);
      await servers.learn(ids['ignored'] ?? 0, { securityUpdatesCount: null, osUpdatesCount: null });
      await servers.learn(ids['down'] ?? 0, { contactFailedSince: AT, inventoryAt: null });
      await servers.learn(ids['fine'] ?? 0, { diskUsedBytes: 89, diskTotalBytes: 100 });
      await servers.learn(ids['full'] ?? 0, { diskUsedBytes: 90, diskTotalBytes: 100 });
      const needing = (need: ServerNeed): Promise<readonly string[]> =>
        names({ needs: { need, staleBefore: AT } });
      expect(await needing('stale_backup')).toEqual(['never', 'stale']);
      expect(await needing('no_backup')).toEqual(['young']);
      expect(await needing('lacks_backup')).toEqual(['never', 'stale', 'young']);
      expect(await needing('disk_full')).toEqual(['full']);
      expect((await names({}, { by: 'disk', descending: true })).slice(0, 2)).toEqual(['full', 'fine']);
      const byStatus = await names({ statusAt: { staleBefore: AT } }, { by: 'status', descending: true });
      expect(byStatus.slice(0, 9)).toEqual([
        'down',
        'never',
        'stale',
        'full',
        'security',
        'reboot',
        'unknown',
        'new',
        'young',
      ]);
      expect(await needing('security_updates')).toEqual(['security']);
      expect(await needing('os_updates')).toEqual(['os']);
      expect(await needing('container_updates')).toEqual(['containers']);
      expect(await needing('reboot')).toEqual(['reboot']);
      expect(await needing('updates_unknown')).toEqual(['unknown']);
      expect(await needing('unreachable')).toEqual(['down']);
      expect(await needing('unchecked')).toEqual(['new']);
      expect(await servers.totals({}, AT)).toMatchObject({
        backupsStale: 2,
        notBackedUpYet: 1,
        diskFull: 1,
        securityUpdates: 1,
        securityPackages: 1,
        osUpdates: 1,
        containerUpdates: 1,
        rebootPending: 1,
        updatesUnknown: 1,
        unreachable: 1,
        failing: 3,
        unchecked: 1,
      });
    });

    it('keeps to those whose release gets security updates until a time, and sets that by their system', async () => {
      const { servers } = stores();
      const systems: [string, string | null][] = [
        ['debian', '10'],
        ['debian', '10'],
        ['debian', '13'],
        ['ubuntu', '10'],
        ['arch', null],
      ];
      for (const [index, [osId, osVersion]] of systems.entries())
        await servers.learn(await addServer(stores(), `s${index}`), { osId, osVersion });
      const endOf = ({ osId, osVersion }: { osId: string | null; osVersion: string | null }) =>
        osId === 'debian' ? AT + Number(osVersion) : null;
      expect(await servers.setSupportEnds(endOf)).toBe(3);
      expect(await servers.setSupportEnds(endOf)).toBe(0);
      expect(await names({ supportEnds: { before: AT + 11 } })).toEqual(['s0', 's1']);
      expect(await names({ supportEnds: { from: AT + 11, before: AT + 14 } })).toEqual(['s2']);
      expect(await servers.setSupportEnds(() => null)).toBe(3);
      expect(await names({ supportEnds: { before: AT + 99 } })).toEqual([]);
    });

    it('keeps to those with a tag, and not with a part of it', async () => {
      const { servers } = stores();
      await servers.add(newServer('one', { tags: ['web', 'eu'] }), AT, noRecord);
      await servers.add(newServer('two', { tags: ['web-old', 'eu'] }), AT, noRecord);
      const gone = await servers.add(newServer('gone', { tags: ['old'] }), AT, noRecord);
      await servers.remove(gone.id, AT, {});
      await addServer(stores(), 'none');
      expect(await names({ tag: 'web' })).toEqual(['one']);
      expect(await names({ tag: 'eu', q: 'two' })).toEqual(['two']);
      expect(await names({ tag: 'WEB' })).toEqual([]);
      expect(await names({ tag: '%' })).toEqual([]);
      expect(await servers.tags({}, 10)).toEqual([
        { tag: 'eu', servers: 2 },
        { tag: 'web', servers: 1 },
        { tag: 'web-old', servers: 1 },
      ]);
      expect(await servers.tags({}, 1)).toEqual([{ tag: 'eu', servers: 2 }]);
      expect(await servers.tags({ ids: [] }, 10)).toEqual([]);
    });

    it('goes by what is asked for, either way, and by name where that is the same', async () => {
      const { servers } = stores();
      const ids: number[] = [];
      for (const name of ['a', 'b', 'c', 'd']) ids.push(await addServer(stores(), name));
      const [a = 0, b = 0, c = 0, d = 0] = ids;
      await servers.learn(a, {
        osPretty: 'Fedora',
        securityUpdatesCount: 0,
        osUpdatesCount: 9,
        lastBackupAt: 2,
      });
      await servers.learn(b, {
        osPretty: 'Debian',
        securityUpdatesCount: 2,
        osUpdatesCount: 2,
        lastBackupAt: 1,
      });
      await servers.learn(c, {
        osPretty: 'Debian',
        securityUpdatesCount: 0,
        osUpdatesCount: 1,
        lastSeenAt: AT,
      });
      await servers.setFeatures(d, { backup: false }, AT, noRecord);
      const by = async (order: ServerOrder): Promise<string> =>
        (await servers.list({}, ALL, order)).items.map(({ name }) => name).join('');
      expect(await by({ by: 'name', descending: true })).toBe('dcba');
      expect(await by({ by: 'system', descending: false })).toBe('dbca');
      expect(await by({ by: 'updates', descending: true })).toBe('bacd');
      expect(await by({ by: 'updates', descending: false })).toBe('dcab');
      expect(await by({ by: 'last_backup', descending: false })).toBe('cbad');
      expect(await by({ by: 'last_seen', descending: true })).toBe('cabd');
      const page = await servers.list({}, { limit: 2, offset: 1 }, { by: 'updates', descending: true });
      expect([page.total, page.items.map(({ name }) => name)]).toEqual([4, ['a', 'c']]);
      expect(
        (await servers.list({}, { limit: 2, offset: 9 }, { by: 'system', descending: true })).items,
      ).toEqual([]);
    });

    it('keeps to the given ids, be they none or thousands', async () => {
      const ids = [];
      for (const name of ['a', 'b', 'c']) ids.push(await addServer(stores(), name));
      expect(await names({ ids: ids.slice(1) })).toEqual(['b', 'c']);
      expect(await names({ ids: [] })).toEqual([]);
      expect(await names({ ids: null })).toEqual(['a', 'b', 'c']);
      const thousands = Array.from({ length: 5_000 }, (_, index) => index + 1);
      expect(await names({ ids: [...thousands, ...ids], q: 'c' })).toEqual(expect.arrayContaining(['c']));
      expect((await stores().servers.list({ ids: ids.slice(2) }, ALL)).total).toBe(1);
    });
  });

  describe('totals', () => {
    it('are zero, and the oldest backup unknown, where there is nothing', async () => {
      const totals = await stores().servers.totals({}, AT);
      expect(totals).toEqual({
        hosts: 0,
        osUpdates: 0,
        securityUpdates: 0,
        securityPackages: 0,
        containerUpdates: 0,
        rebootPending: 0,
        lastBackupOldestAt: null,
        backupsOn: 0,
        backupsStale: 0,
        notBackedUpYet: 0,
        updatesUnknown: 0,
        unreachable: 0,
        failing: 0,
        diskFull: 0,
        unchecked: 0,
        criticalAlerts: 0,
        alerts: 0,
        lastSeenOldestAt: null,
        lastSeenNewestAt: null,
        containers: 0,
        cpuCores: 0,
        memoryTotalBytes: 0,
        memoryUsedBytes: 0,
        diskTotalBytes: 0,
        diskUsedBytes: 0,
      });
    });

    it('count hosts and sum what is known', async () => {
      const { servers } = stores();
      const one = await addServer(stores(), 'one');
      const two = await addServer(stores(), 'two');
      await addServer(stores(), 'unknown');
      await servers.learn(one, {
        osUpdatesCount: 12,
        securityUpdatesCount: 0,
        containerUpdatesCount: 1,
        rebootPending: true,
        lastSeenAt: AT - 5,
        containerCount: 4,
        cpuCores: 8,
        memoryTotalBytes: 4_000_000_000_000_000,
        memoryUsedBytes: 1,
        diskTotalBytes: 10,
        diskUsedBytes: 5,
      });
      await servers.learn(two, {
        osUpdatesCount: 1,
        securityUpdatesCount: 2,
        rebootPending: false,
        lastSeenAt: AT,
        cpuCores: 4,
        memoryTotalBytes: 7,
      });
      expect(await servers.totals({}, AT)).toMatchObject({
        hosts: 3,
        osUpdates: 2,
        securityUpdates: 1,
        securityPackages: 2,
        containerUpdates: 1,
        rebootPending: 1,
        lastSeenOldestAt: AT - 5,
        lastSeenNewestAt: AT,
        containers: 4,
        cpuCores: 12,
        memoryTotalBytes: 4_000_000_000_000_007,
        memoryUsedBytes: 1,
        diskTotalBytes: 10,
        diskUsedBytes: 5,
      });
      expect(await servers.totals({ ids: [two] }, AT)).toMatchObject({ hosts: 1, cpuCores: 4 });
      expect(await servers.totals({ q: 'one' }, AT)).toMatchObject({ hosts: 1, cpuCores: 8 });
    });

    it('look at backups only where the feature is on', async () => {
      const { servers } = stores();
      const fresh = await addServer(stores(), 'fresh');
      const stale = await addServer(stores(), 'stale');
      await servers.add(newServer('never'), AT - 1, noRecord);
      const features = { backup: false, os_patch: false, docker: false };
      const off = await servers.add(newServer('off', { features }), AT, noRecord);
      await servers.learn(fresh, { lastBackupAt: AT });
      await servers.learn(stale, { lastBackupAt: AT - 2 });
      await servers.learn(off.id, { lastBackupAt: AT - 100 });
      expect(await servers.totals({}, AT)).toMatchObject({
        backupsOn: 3,
        backupsStale: 2,
        lastBackupOldestAt: AT - 2,
      });
      expect(await servers.totals({ ids: [off.id] }, AT)).toMatchObject({
        backupsStale: 0,
        lastBackupOldestAt: null,
      });
    });
  });
}
