import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAdvisory } from '../../../../src/domain/fleet/feeds/osv.ts';
import { inventoryOf } from '../../../support/inventories.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let viewer: Visitor;
beforeEach(async () => {
  fixture = await openWebFixture();
  viewer = await fixture.signedIn('viewer');
  for (const [index, name] of ['web', 'db'].entries()) {
    const { id } = await fixture.scene.addServer(name);
    const version = `1:9.2p1-2+deb12u${2 + index}`;
    await fixture.scene.packages.save(id, 'debian:12', [
      { name: 'openssh-server', version, source: 'openssh', sourceVersion: version },
      { name: '<b>', version: '1', source: '<b>', sourceVersion: '1' },
    ]);
  }
});
afterEach(() => fixture.close());

describe('Installed packages', () => {
  test('are grouped by package, with their versions and the outdated ones', async () => {
    const { text } = await viewer.get('/packages');
    expect(text).toContain('<summary>2 versions</summary>');
    expect(text).toContain('outdated on 1<');
    expect(text.match(/>Debian 12</g)).toHaveLength(3);
    expect(text).not.toContain('debian:12');
    expect(text).toContain('title="Newer on Debian 12: 1:9.2p1-2+deb12u3"');
    expect(text.match(/>outdated</g)).toHaveLength(1);
    const version = encodeURIComponent('1:9.2p1-2+deb12u2').replaceAll('%20', '+');
    expect(text).toContain(`href="/packages?q=openssh-server&amp;version=${version}&amp;show=servers"`);
    const outdated = (await viewer.get('/packages?show=outdated')).text;
    expect(outdated).toContain('>openssh-server<');
    expect(outdated).not.toContain('&lt;b>');
    expect((await viewer.get('/packages?q=%3Cb')).text).not.toContain('<b>');
    expect((await viewer.get('/packages?q=nothing')).text).toContain('No installed packages match');
  });

  test('start with their number, and are sorted by name and by servers', async () => {
    await fixture.scene.packages.save(1, 'debian:12', [
      { name: 'acl', version: '1', source: 'acl', sourceVersion: '1' },
      { name: 'openssh-server', version: '1', source: 'openssh', sourceVersion: '1' },
    ]);
    const rows = async (query: string) => {
      const { text } = await viewer.get(`/packages${query}`);
      const names = [...text.matchAll(/<td role="cell" class="name"><span>([^<]*)</g)].map(
        ([, name]) => name,
      );
      return { text, names };
    };
    const { text, names } = await rows('');
    expect(names).toEqual(['&lt;b>', 'acl', 'openssh-server']);
    expect(text).toMatch(/class="sub">3 packages · 1 outdated/);
    expect(text).toMatch(/show=outdated"[^>]*>Outdated <span class="n">1</);
    expect((await rows('?sort=-name')).names).toEqual(names.toReversed());
    expect((await rows('?sort=-servers')).names).toEqual(['openssh-server', '&lt;b>', 'acl']);
    expect((await rows('?sort=servers&q=a')).names).toEqual(['acl']);
  });

  test('are searched by name and version over the fleet', async () => {
    const { text } = await viewer.get('/packages?q=SSH&show=servers');
    expect(text).toContain('>web</a>');
    expect(text).toContain('>db</a>');
    const narrow = await viewer.get('/packages?q=ssh&version=deb12u3&show=servers');
    expect(narrow.text).not.toContain('>web</a>');
    expect(narrow.text).toContain('>db</a>');
  });

  test('are those that a CVE affects, if its id is searched for', async () => {
    expect((await viewer.get('/packages?q=CVE-2024-6387')).text).toContain(
      'CVE-2024-6387 is not in the security data',
    );
    const record = {
      id: 'DSA-5724-1',
      upstream: ['CVE-2024-6387'],
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      affected: [
        {
          package: { ecosystem: 'Debian:12', name: 'openssh' },
          ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1:9.2p1-2+deb12u3' }] }],
        },
      ],
    };
    expect((await viewer.get('/packages/cves')).text).toContain('drover cve import FILE');
    await fixture.scene.vulnerabilities.replace([readAdvisory(record, '/0')]);
    const { text } = await viewer.get('/packages?q=cve-2024-6387');
    expect(text).toContain('>web</a>');
    expect(text).not.toContain('>db</a>');
    expect(text).toContain('1:9.2p1-2+deb12u3');
    expect(text).not.toContain('name="ids"');
    const operator = await fixture.signedIn('operator');
    const affected = (await operator.get('/packages?q=cve-2024-6387')).text;
    expect(affected.match(/name="ids" value="1" form="bulk-affected"/g)).toHaveLength(1);
    expect(affected).toContain('href="/batches/new?type=os_patch&amp;ids=1"');
    expect(affected).toMatch(/<form id="bulk-affected" method="get" action="\/batches\/new"/);
    const list = (await operator.get('/packages/cves')).text;
    expect(list).toContain('href="/packages?q=CVE-2024-6387"');
    expect(list).toContain('href="/batches/new?type=os_patch&amp;ids=1"');
    expect(list).toMatch(/href="\/packages\/cves\?severity=high"[^>]*>High <span class="n">1</);
    expect((await viewer.get('/packages/cves')).text).not.toContain('/batches/new');
    expect((await viewer.get('/packages/cves?q=curl')).text).toContain('No vulnerabilities match');
    const batch = (await operator.get('/batches/new?ids=1&ids=1&type=os_patch')).text;
    expect(batch.match(/<input[^>]* name="servers"[^>]* checked/g)).toHaveLength(1);
    const [server] = (await fixture.scene.servers.list({ q: 'web' }, { limit: 1, offset: 0 })).items;
    const update = { name: 'openssh-server', from: '1:9.2p1-2+deb12u2', to: '1:9.2p1-2+deb12u3' };
    await fixture.scene.inventories.save(
      server?.id ?? 0,
      inventoryOf({
        osId: 'debian',
        osVersion: '12',
        updates: [{ ...update, security: true, origin: null, held: false }],
      }),
    );
    const updates = await viewer.get(`/servers/${server?.id}/updates`);
    expect(updates.text).toContain('href="/packages?q=CVE-2024-6387"');
  });
});
