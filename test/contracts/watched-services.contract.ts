import { beforeEach, describe, expect, it } from 'vitest';
import type { WatchedService } from '../../src/domain/automation/unhealthy-service.ts';
import { wordsOf } from '../../src/domain/events/notification-words.ts';
import { AT, addServer, type MakeStores, type StoresSubject } from '../support/stores-subject.ts';

/** The contract of `WatchedServices`. */
export function watchedServicesContract(name: string, makeStores: MakeStores): void {
  describe(`WatchedServices: ${name}`, () => {
    let stores: StoresSubject;
    let web: number;
    beforeEach(async () => {
      stores = await makeStores();
      web = await addServer(stores, 'web');
    });
    const service = (over: Partial<WatchedService> = {}): WatchedService => ({
      serverId: web,
      directory: `/srv/${'ü'.repeat(2_000)}`,
      service: 'app',
      checks: 2,
      restarts: [AT - 2, AT - 1],
      gaveUpAt: null,
      ...over,
    });
    const label = ({ service: of }: WatchedService): string => `shop/${of}`.padEnd(300, '.');
    const replace = (...services: WatchedService[]) => stores.watchedServices.replace(web, services, label);
    const alerts = async () => {
      const limits = {
        now: AT,
        backupsStaleBefore: 0,
        tokensExpireBefore: 0,
        disksFullBefore: 0,
        supportEndsBefore: 0,
      };
      await stores.watch.end('service.unhealthy', limits, () => null, 100);
      await stores.watch.begin('service.unhealthy', limits, wordsOf, 100);
      const open = { beganUpTo: AT, at: AT, isMuted: () => false, event: () => null };
      await stores.watch.open('service.unhealthy', open, 100);
      return (await stores.notifications.list({}, { limit: 100, offset: 0 })).items
        .filter(({ state }) => state === 'open')
        .map(({ subjectId, serverId, serverName, variant, kind }) => ({
          subjectId,
          serverId,
          serverName,
          variant,
          kind,
        }));
    };

    it('replaces the services of a server, and of no other one', async () => {
      const db = await addServer(stores, 'db');
      const other = service({ serverId: db });
      await stores.watchedServices.replace(db, [other], label);
      await replace(service(), service({ service: 'db' }));
      await replace(service({ checks: 3, restarts: [], gaveUpAt: AT }), service({ directory: '/a' }));
      expect(await stores.watchedServices.ofServer(web)).toEqual([
        service({ checks: 3, restarts: [], gaveUpAt: AT }),
        service({ directory: '/a' }),
      ]);
      expect(await stores.watchedServices.ofServer(db)).toEqual([other]);
      await stores.watchedServices.keepServers([db]);
      expect(await stores.watchedServices.ofServer(web)).toEqual([]);
      expect(await stores.watchedServices.ofServer(db)).toEqual([other]);
    });

    it('stores nothing of a removed server', async () => {
      await replace(service());
      await stores.servers.remove(web, AT, {});
      await replace(service());
      expect(await stores.watchedServices.ofServer(web)).toEqual([]);
    });

    it('has one alert for a service that was given up, until it is well or its server is removed', async () => {
      await replace(service(), service({ service: 'db' }));
      expect(await alerts()).toEqual([]);
      await replace(service({ gaveUpAt: AT }), service({ service: 'db' }));
      const [first] = await alerts();
      expect(first).toMatchObject({
        serverId: web,
        serverName: 'web',
        variant: 'shop/app'.padEnd(64, '.'),
        kind: 'service.unhealthy',
      });
      await replace(service({ gaveUpAt: AT, checks: 1 }), service({ service: 'db', gaveUpAt: AT }));
      expect(await alerts()).toHaveLength(2);
      expect(await alerts()).toContainEqual(first);
      await replace(service({ service: 'db', gaveUpAt: AT }));
      expect(await alerts()).toHaveLength(1);
      await stores.servers.remove(web, AT, {});
      expect(await alerts()).toEqual([]);
    });
  });
}
