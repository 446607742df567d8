import { afterAll, beforeAll, expect, test } from 'vitest';
import { SqlPackageStore } from '../../../../src/adapters/outbound/storage/sql/stores/sql-package-store.ts';
import { SqlVulnerabilityStore } from '../../../../src/adapters/outbound/storage/sql/stores/sql-vulnerability-store.ts';
import { inventoryOf } from '../../../support/inventories.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read']);
  const packages = new SqlPackageStore(fixture.database);
  for (const [index, { id }] of [fixture.alpha, fixture.beta].entries()) {
    const version = `1:9.2p1-2+deb12u${2 + index}`;
    await packages.save(id, 'debian:12', [
      { name: 'openssh-server', version, source: 'openssh', sourceVersion: version },
    ]);
  }
  const cve = { advisory: 'DSA-5724-1', cve: 'CVE-2024-6387', system: 'debian:12', package: 'openssh' };
  const vulnerability = { ...cve, introduced: '0', fixed: '1:9.2p1-2+deb12u3' };
  await new SqlVulnerabilityStore(fixture.database).replace([
    { id: 'DSA-5724-1', vulnerabilities: [vulnerability] },
  ]);
});
afterAll(() => fixture.close());

const inventory = async (args: object, by = token) =>
  (await fixture.rpc(by, 'tools/call', { name: 'inventory', arguments: args })).json.result;

test('An agent finds installed packages by name and version, with the servers that have them', async () => {
  const { structuredContent: found } = await inventory({
    section: 'packages',
    package: 'ssh',
    version: 'u3',
  });
  expect(found).toEqual({
    hosts: [
      {
        server_id: fixture.beta.id,
        name: 'beta',
        system: 'debian:12',
        packages: [{ name: 'openssh-server', version: '1:9.2p1-2+deb12u3' }],
      },
    ],
    total: 1,
    limit: expect.any(Number),
    offset: 0,
  });
  const { isError } = await inventory({ section: 'packages' });
  expect(isError).toBe(true);
});

test('An agent finds the servers that a CVE affects, and the version that fixes it', async () => {
  const { structuredContent: found } = await inventory({ package: 'CVE-2024-6387' });
  expect(found).toMatchObject({
    known: true,
    total: 1,
    hosts: [
      {
        server_id: fixture.alpha.id,
        packages: [{ version: '1:9.2p1-2+deb12u2', fixed_in: '1:9.2p1-2+deb12u3' }],
      },
    ],
  });
  expect((await inventory({ package: 'CVE-2024-9999' })).structuredContent).toMatchObject({
    note: expect.stringContaining('drover cve import'),
    known: false,
    hosts: [],
  });
});

test('Pending updates of a server name the CVEs that they fix, over MCP and REST', async () => {
  const { id } = fixture.alpha;
  const update = { from: '1:9.2p1-2+deb12u2', security: true, origin: null, held: false };
  const updates = [
    { ...update, name: 'openssh-server', to: '1:9.2p1-2+deb12u3' },
    { ...update, name: 'other', to: '2' },
  ];
  const saved = inventoryOf({ osId: 'debian', osVersion: '12', updates });
  await fixture.stores.inventories.save(id, saved);
  const { json } = await fixture.request(`/api/v1/servers/${id}/inventory`, { token });
  expect(json.updates).toMatchObject([
    { name: 'openssh-server', cves: ['CVE-2024-6387'] },
    { name: 'other' },
  ]);
  expect(json.updates[1]).not.toHaveProperty('cves');
  const { structuredContent: found } = await inventory({ server_id: id, section: 'updates' });
  expect(found.hosts[0].updates[0].cves).toEqual(['CVE-2024-6387']);
  // An update that does not reach the fixed version fixes nothing.
  const short = [{ ...update, name: 'openssh-server', to: '1:9.2p1-2+deb12u2.1' }];
  await fixture.stores.inventories.save(id, { ...saved, updates: short });
  const { structuredContent: later } = await inventory({ server_id: id, section: 'updates' });
  expect(later.hosts[0].updates[0]).not.toHaveProperty('cves');
});

test('A token sees only packages of servers that it can access, over MCP and REST', async () => {
  const beta = await fixture.token(['read'], { allowedServerIds: [fixture.beta.id] });
  expect((await inventory({ package: 'CVE-2024-6387' }, beta)).structuredContent).toMatchObject({
    known: true,
    total: 0,
  });
  const get = async (path: string, by: string) => fixture.request(`/api/v1${path}`, { token: by });
  expect((await get('/packages?name=ssh', beta)).json).toMatchObject({ total: 1, complete: true });
  expect((await get('/packages?name=ssh', token)).json).toMatchObject({ total: 2 });
  expect((await get('/cves/CVE-2024-6387', token)).json).toMatchObject({ total: 1, known: true });
  expect((await get(`/packages?server_id=${fixture.alpha.id}`, beta)).status).toBe(404);
  expect((await get('/packages', token)).json).toMatchObject({
    code: 'invalid_input',
    errors: [{ path: '/name' }],
  });
  expect((await get('/cves/openssh', token)).json).toMatchObject({
    code: 'invalid_input',
    errors: [{ path: '/cve' }],
  });
});

test('A CVE that only the package manager of a server knows is found there, over MCP and REST', async () => {
  const { id } = fixture.beta;
  const packages = new SqlPackageStore(fixture.database);
  await packages.save(id, 'almalinux:9', [
    { name: 'openssl-libs', version: '1:3.0.7-6.el9_2', source: 'openssl', sourceVersion: '1:3.0.7-6.el9_2' },
  ]);
  const fix = { advisory: 'ALSA-2024:9999', cve: 'CVE-2024-0727', package: 'openssl-libs' };
  const vulnerabilities = new SqlVulnerabilityStore(fixture.database);
  await vulnerabilities.saveFixes(id, 'almalinux:9', [
    { ...fix, version: '1:3.0.7-6.el9_2', fixed: '1:3.0.7-27.el9' },
  ]);
  const { structuredContent: found } = await inventory({ package: 'CVE-2024-0727' });
  expect(found).toMatchObject({
    known: true,
    total: 1,
    hosts: [{ server_id: id, packages: [{ name: 'openssl-libs', fixed_in: '1:3.0.7-27.el9' }] }],
  });
  const update = { name: 'openssl-libs', from: '1:3.0.7-6.el9_2', security: true, origin: null, held: false };
  const saved = inventoryOf({
    osId: 'almalinux',
    osVersion: '9.4',
    updates: [{ ...update, to: '1:3.0.7-27.el9' }],
  });
  await fixture.stores.inventories.save(id, saved);
  const get = async (path: string, by: string) => fixture.request(`/api/v1${path}`, { token: by });
  expect((await get(`/servers/${id}/inventory`, token)).json.updates).toMatchObject([
    { cves: ['CVE-2024-0727'] },
  ]);
  expect((await get('/cves/CVE-2024-0727', token)).json).toMatchObject({
    known: true,
    advisories: ['ALSA-2024:9999'],
    packages: [{ server_id: id, fixed_in: '1:3.0.7-27.el9' }],
  });
  // Another server's report is not shown to a token that cannot see the server.
  const alpha = await fixture.token(['read'], { allowedServerIds: [fixture.alpha.id] });
  expect((await get('/cves/CVE-2024-0727', alpha)).json).toMatchObject({
    known: false,
    advisories: [],
    total: 0,
  });
});
