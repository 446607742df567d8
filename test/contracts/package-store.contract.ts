import { beforeEach, describe, expect, it } from 'vitest';
import type { InstalledPackage } from '../../src/domain/fleet/installed-package.ts';
import type { Vulnerability } from '../../src/domain/fleet/vulnerability.ts';
import { AT, addServer, type MakeStores, type StoresSubject } from '../support/stores-subject.ts';

const of = (name: string, version: string, source = name): InstalledPackage => ({
  name,
  version,
  source,
  sourceVersion: version,
});
const PAGE = { limit: 100, offset: 0 };

/** What every `PackageStore` and `VulnerabilityStore` does. */
export function packageStoreContract(name: string, makeStores: MakeStores): void {
  describe(`PackageStore: ${name}`, () => {
    let stores: StoresSubject;
    let web: number;
    let db: number;
    beforeEach(async () => {
      stores = await makeStores();
      web = await addServer(stores, 'web');
      db = await addServer(stores, 'db');
    });
    const found = async (search: object, page = PAGE) => {
      const { items, total, complete } = await stores.packages.search({ serverIds: null, ...search }, page);
      expect(complete).toBe(true);
      return { total, rows: items.map((each) => `${each.serverName} ${each.name} ${each.version}`) };
    };

    it('finds packages by parts of their name and version, by server and name', async () => {
      await stores.packages.save(web, 'debian:12', [of('openssl', '3.0.15-1'), of('curl', '7.88')]);
      await stores.packages.save(db, 'debian:12', [
        of('openssl', '3.0.15-1'),
        of('libssl3', '3.0.15-1', 'openssl'),
      ]);
      expect(await found({ name: 'SSL' })).toEqual({
        total: 3,
        rows: ['db libssl3 3.0.15-1', 'db openssl 3.0.15-1', 'web openssl 3.0.15-1'],
      });
      expect(await found({ name: 'ssl' }, { limit: 1, offset: 1 })).toEqual({
        total: 3,
        rows: ['db openssl 3.0.15-1'],
      });
      expect((await found({ version: '7.8' })).rows).toEqual(['web curl 7.88']);
      expect((await found({ name: 'ssl', serverIds: [web] })).rows).toEqual(['web openssl 3.0.15-1']);
      expect((await found({ serverIds: [web] })).rows).toEqual(['web curl 7.88', 'web openssl 3.0.15-1']);
      expect((await found({ name: 'ssl', serverIds: [] })).rows).toEqual([]);
      expect((await found({ name: '%' })).rows).toEqual([]);
    });

    it('groups them by name, with how many servers have each version', async () => {
      await stores.packages.save(web, 'debian:12', [of('openssl', '3.0.15-1'), of('curl', '7.88')]);
      await stores.packages.save(db, 'debian:12', [of('openssl', '3.0.16-1'), of('curl', '7.88')]);
      const group = (search: object, page = PAGE) =>
        stores.packages.groups({ serverIds: null, ...search }, page);
      const curl = {
        name: 'curl',
        servers: 2,
        versions: [{ system: 'debian:12', version: '7.88', servers: 2 }],
      };
      const openssl = {
        name: 'openssl',
        servers: 2,
        versions: ['3.0.15-1', '3.0.16-1'].map((version) => ({ system: 'debian:12', version, servers: 1 })),
      };
      expect(await group({})).toEqual({ items: [curl, openssl], total: 2, ...PAGE });
      expect(await group({}, { limit: 1, offset: 1 })).toMatchObject({ items: [openssl], total: 2 });
      expect(await group({ mixed: true })).toMatchObject({ items: [openssl], total: 1 });
      expect((await group({ name: 'SSL', serverIds: [web] })).items).toEqual([
        { ...openssl, servers: 1, versions: openssl.versions.slice(0, 1) },
      ]);
      expect((await group({ mixed: true, serverIds: [web] })).items).toEqual([]);
      expect((await group({ serverIds: [] })).total).toBe(0);
      await stores.packages.save(db, 'debian:12', [of('openssl', '3.0.16-1')]);
      const names = async (by: 'name' | 'servers', descending: boolean) =>
        (await group({ order: { by, descending } })).items.map((each) => each.name);
      expect(await names('name', true)).toEqual(['openssl', 'curl']);
      expect(await names('servers', true)).toEqual(['openssl', 'curl']);
      expect(await names('servers', false)).toEqual(['curl', 'openssl']);
    });

    it('names the servers with some versions, and security data of installed packages', async () => {
      await stores.packages.save(web, 'debian:12', [
        of('openssl', '3.0.15-1'),
        of('libssl3', '3', 'openssl'),
      ]);
      await stores.packages.save(db, 'debian:12', [of('openssl', '3.0.15-1')]);
      const targets = new Map([['debian:12', ['openssl']]]);
      const ids = (await stores.packages.versionsOf(targets, 10)).map(({ id }) => id);
      const pairs = await stores.packages.holdings(ids, null, 10);
      expect(pairs.filter(({ serverId }) => serverId === web)).toHaveLength(2);
      expect(pairs).toHaveLength(3);
      expect(await stores.packages.holdings(ids, [db], 10)).toHaveLength(1);
      expect(await stores.packages.holdings(ids, null, 2)).toHaveLength(2);
      const about = { cve: 'CVE-2026-1', system: 'debian:12', introduced: '0', fixed: '4' };
      const entry = (advisory: string, source: string) => ({
        id: advisory,
        vulnerabilities: [{ ...about, advisory, package: source, severity: 'high' as const }],
      });
      await stores.vulnerabilities.replace([entry('A-1', 'openssl'), entry('A-2', 'curl')]);
      expect(await stores.vulnerabilities.ofInstalled(10)).toEqual(entry('A-1', 'openssl').vulnerabilities);
      const fix = { advisory: 'A-3', cve: 'CVE-2026-2', package: 'openssl', version: '3.0.15-1', fixed: '4' };
      await stores.vulnerabilities.saveFixes(web, 'debian:12', [fix, { ...fix, version: '2' }]);
      expect(await stores.vulnerabilities.heldFixes(null, 10)).toEqual([{ ...fix, serverId: web }]);
      expect(await stores.vulnerabilities.heldFixes([db], 10)).toEqual([]);
    });

    it('replaces those of a server, and deletes what no server has', async () => {
      const both = [of('openssl', '1'), of('curl', '1')];
      await stores.packages.save(web, 'debian:12', both);
      await stores.packages.save(web, 'debian:12', both);
      await stores.packages.save(db, 'debian:12', [of('openssl', '1')]);
      await stores.packages.save(web, 'debian:12', [of('openssl', '2'), of('openssl', '2')]);
      expect((await found({ name: 'l' })).rows).toEqual(['db openssl 1', 'web openssl 2']);
      const targets = new Map([['debian:12', ['openssl', 'curl']]]);
      const versions = await stores.packages.versionsOf(targets, 10);
      expect(versions.map((each) => `${each.name} ${each.version}`).sort()).toEqual([
        'openssl 1',
        'openssl 2',
      ]);
    });

    it('keeps releases of distributions apart, and finds packages by their source', async () => {
      await stores.packages.save(web, 'debian:12', [of('libssl3', '1', 'openssl')]);
      await stores.packages.save(db, 'ubuntu:24.04', [of('libssl3', '1', 'openssl')]);
      const [version, ...others] = await stores.packages.versionsOf(
        new Map([['ubuntu:24.04', ['openssl']]]),
        10,
      );
      expect(others).toEqual([]);
      const affected = { versionIds: [version?.id ?? 0], reported: null };
      const holders = await stores.packages.holders(affected, null, PAGE);
      expect(holders.items).toMatchObject([
        { serverId: db, serverName: 'db', system: 'ubuntu:24.04', name: 'libssl3', source: 'openssl' },
      ]);
      expect((await stores.packages.holders(affected, [web], PAGE)).total).toBe(0);
    });

    it('finds packages of one server by name', async () => {
      await stores.packages.save(web, 'debian:12', [of('libssl3', '1', 'openssl'), of('curl', '1')]);
      await stores.packages.save(db, 'debian:12', [of('libssl3', '2', 'openssl')]);
      expect(await stores.packages.ofServer(web, ['libssl3', 'other'])).toMatchObject([
        of('libssl3', '1', 'openssl'),
      ]);
      expect(await stores.packages.ofServer(web, [])).toEqual([]);
    });

    it('has nothing of a removed server', async () => {
      await stores.packages.save(web, 'debian:12', [of('openssl', '1')]);
      await stores.servers.remove(web, AT, {});
      await stores.packages.save(web, 'debian:12', [of('curl', '1')]);
      expect(await found({ name: 'l' })).toEqual({ total: 0, rows: [] });
      await stores.packages.save(db, 'debian:12', []);
    });

    it('takes as many as a large host has', async () => {
      const many = Array.from({ length: 1_501 }, (_, n) => of(`p${String(n).padStart(4, '0')}`, '1'));
      await stores.packages.save(web, 'debian:12', many);
      expect((await found({ name: 'p' })).total).toBe(1_501);
      await stores.packages.save(web, 'debian:12', many.slice(0, 700));
      expect((await found({ name: 'p', serverIds: [web] })).total).toBe(700);
    });

    it('says that a search for too many versions is not complete', async () => {
      const many = Array.from({ length: 2_001 }, (_, n) => of(`p${n}`, '1'));
      await stores.packages.save(web, 'debian:12', many);
      const search = { name: 'p', serverIds: null };
      expect(await stores.packages.search(search, PAGE)).toMatchObject({ complete: false, total: 2_000 });
    });
  });

  describe(`VulnerabilityStore: ${name}`, () => {
    const row = (change: Partial<Vulnerability> = {}): Vulnerability => ({
      advisory: 'DSA-1-1',
      cve: 'CVE-2024-0001',
      system: 'debian:12',
      package: 'openssl',
      introduced: '0',
      fixed: '3.0-1',
      severity: null,
      ...change,
    });

    it('replaces advisories whole, and finds them by CVE and by package', async () => {
      const { vulnerabilities: store } = await makeStores();
      const unfixed = row({ advisory: 'DSA-2-1', package: 'curl', fixed: null });
      await store.replace([
        { id: 'DSA-1-1', vulnerabilities: [row(), row({ system: 'debian:11', introduced: '2.0' })] },
        { id: 'DSA-2-1', vulnerabilities: [unfixed, row({ advisory: 'DSA-2-1', cve: 'CVE-2024-0002' })] },
      ]);
      expect(await store.count()).toBe(4);
      expect(await store.ofCve('CVE-2024-0001', 10)).toEqual([
        row(),
        row({ system: 'debian:11', introduced: '2.0' }),
        unfixed,
      ]);
      expect(await store.ofCve('CVE-2024-0001', 2)).toHaveLength(2);
      expect(await store.ofPackages('debian:12', ['curl', 'other'], 10)).toEqual([unfixed]);
      await store.replace([
        { id: 'DSA-1-1', vulnerabilities: [row({ fixed: '3.0-2' })] },
        { id: 'DSA-2-1', vulnerabilities: [] },
      ]);
      expect(await store.ofCve('CVE-2024-0001', 10)).toEqual([row({ fixed: '3.0-2' })]);
      expect(await store.count()).toBe(1);
    });

    it('keeps what a server reports to that server, and finds it beside versions', async () => {
      const stores = await makeStores();
      const { packages, vulnerabilities: store } = stores;
      const [web, db, old] = [
        await addServer(stores, 'web'),
        await addServer(stores, 'db'),
        await addServer(stores, 'old'),
      ];
      for (const id of [web, db])
        await packages.save(id, 'fedora:43', [of('openssl', '1-1'), of('curl', '1-1')]);
      await packages.save(old, 'fedora:42', [of('curl', '1-1')]);
      const fix = (change: object = {}) => ({
        advisory: 'FEDORA-1',
        cve: 'CVE-2024-0001',
        package: 'openssl',
        version: '1-1',
        fixed: '1-2',
        ...change,
      });
      const curl = fix({ package: 'curl', cve: 'CVE-2024-0002' });
      await store.saveFixes(web, 'fedora:43', [fix(), curl]);
      await store.saveFixes(web, 'fedora:43', [curl, fix()]);
      await store.saveFixes(db, 'fedora:43', [curl]);
      expect(await store.advisoriesOf('CVE-2024-0001', null, 10)).toEqual(['FEDORA-1']);
      expect(await store.advisoriesOf('CVE-2024-0001', [db], 10)).toEqual([]);
      expect(await store.fixesOf({ cve: 'CVE-2024-0002' }, [web, db], 10)).toEqual([
        { serverId: web, ...curl },
        { serverId: db, ...curl },
      ]);
      expect(await store.fixesOf({ packages: ['openssl'] }, [web, db], 10)).toEqual([
        { serverId: web, ...fix() },
      ]);
      const holders = async (versionIds: readonly number[], serverIds: readonly number[] | null = null) => {
        const found = await packages.holders({ versionIds, reported: 'CVE-2024-0001' }, serverIds, PAGE);
        expect(found.total).toBe(found.items.length);
        return found.items.map((each) => `${each.serverName} ${each.name}`);
      };
      expect(await holders([])).toEqual(['web openssl']);
      const versions = await packages.versionsOf(new Map([['fedora:43', ['curl', 'openssl']]]), 10);
      expect(await holders(versions.map(({ id }) => id))).toEqual([
        'db curl',
        'db openssl',
        'web curl',
        'web openssl',
      ]);
      expect(await holders([], [db])).toEqual([]);
      // The package was updated since.
      await packages.save(web, 'fedora:43', [of('openssl', '1-2')]);
      expect(await holders([])).toEqual([]);
      await store.saveFixes(web, 'fedora:43', []);
      expect(await store.advisoriesOf('CVE-2024-0001', null, 10)).toEqual([]);
    });
  });
}
