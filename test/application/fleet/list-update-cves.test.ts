import { expect, it } from 'vitest';
import { ListUpdateCves } from '../../../src/application/fleet/list-update-cves.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { MAX_UPDATES } from '../../../src/domain/fleet/inventory.ts';

const OPERATOR = Actor.operator('cli:me');

it('names what imported data and the server itself say that an update fixes', async () => {
  const found = await cvesOf(
    [{ name: 'ssh', source: 'openssh', version: '2' }],
    [
      { package: 'openssh', fixed: '2.1', cve: 'CVE-2024-0001' },
      { package: 'openssh', fixed: '4', cve: 'CVE-2024-0002' },
      { package: 'other', fixed: '2.1', cve: 'CVE-2024-0003' },
    ],
    [
      { package: 'ssh', version: '2', fixed: '2.5', cve: 'CVE-2024-0004' },
      { package: 'ssh', version: '1', fixed: '2.5', cve: 'CVE-2024-0005' },
    ],
  );
  expect(Object.fromEntries(found)).toEqual({ ssh: ['CVE-2024-0004', 'CVE-2024-0001'] });
});

it('compares no more than it can in a moment, whatever a server reports', async () => {
  const packages = Array.from({ length: MAX_UPDATES }, (_, n) => ({
    name: `p${n}`,
    source: 'linux',
    version: `2.${n}`,
  }));
  const rows = Array.from({ length: 20_000 }, (_, n) => ({
    package: 'linux',
    fixed: '3',
    cve: `CVE-2024-${10_000 + n}`,
  }));
  const found = await cvesOf(packages, rows, []);
  expect(found.get('p0')).toHaveLength(200);
  expect(found.size).toBe(10);
});

/** Each is to be updated to version 3. */
function cvesOf(
  packages: readonly { readonly name: string; readonly source: string; readonly version: string }[],
  known: readonly { readonly package: string; readonly fixed: string; readonly cve: string }[],
  reported: readonly {
    readonly package: string;
    readonly version: string;
    readonly fixed: string;
    readonly cve: string;
  }[],
) {
  const system = 'debian:12';
  const list = new ListUpdateCves({
    packages: {
      ofServer: async () => packages.map((each) => ({ ...each, sourceVersion: each.version })),
    },
    vulnerabilities: {
      ofPackages: async () =>
        known.map((each) => ({ ...each, advisory: `DEBIAN-${each.cve}`, system, introduced: '0' })),
      fixesOf: async () => reported.map((each) => ({ ...each, advisory: 'ALSA-1', serverId: 1 })),
    },
  });
  return list.execute(OPERATOR, 1, {
    osId: 'debian',
    osVersion: '12',
    updates: packages.map(({ name, version }) => ({
      name,
      from: version,
      to: '3',
      security: true,
      kept: false,
    })) as never,
  });
}
