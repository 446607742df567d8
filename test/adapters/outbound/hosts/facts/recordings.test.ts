import { describe, expect, it } from 'vitest';
import { readInventory } from '../../../../../src/adapters/outbound/hosts/facts/shell-host-facts.ts';
import { readPackageListing } from '../../../../../src/adapters/outbound/hosts/packages/package-listing.ts';
import type { PendingUpdate } from '../../../../../src/domain/fleet/inventory.ts';
import { RECORDINGS, recordedSections, recordedText, sectionsOf } from './recorded-host.ts';

const inventory = (name: (typeof RECORDINGS)[number]) => readInventory(recordedSections(name));
const inShort = (updates: readonly PendingUpdate[] | null): readonly string[] | undefined =>
  updates?.map(
    ({ name, from, to, security, held }) =>
      `${name} ${from} ${to}${security ? ' security' : ''}${held ? ' held' : ''}`,
  );

describe('A recorded host', () => {
  it.each(RECORDINGS)('%s has what every Linux host reports', (name) => {
    const found = inventory(name);
    expect(found).toMatchObject({
      osType: 'linux',
      hostname: 'vm',
      arch: 'x86_64',
      cpuModel: 'AMD EPYC',
      cpuCores: 2,
      memoryTotalBytes: 25_276_510_208,
      diskTotalBytes: 270_553_174_016,
      bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(found.memoryUsedBytes).toBeLessThan(found.memoryTotalBytes);
    expect(found.diskUsedBytes).toBeLessThan(found.diskTotalBytes);
    expect(found.uptimeSeconds).toBeGreaterThan(1_000);
    expect(found.disks[0]).toMatchObject({ mount: '/', totalBytes: found.diskTotalBytes });
  });

  it('with systemd names the units that failed', () => {
    expect(inventory('debian-12-systemd')).toMatchObject({
      osId: 'debian',
      osFamily: 'debian',
      osVersion: '12',
      osPretty: 'Debian GNU/Linux 12 (bookworm)',
      hardware: 'systemd-nspawn container',
      packagesCount: 132,
      updates: [],
      failedUnits: [
        { name: 'demo-broken.service', description: 'A demo that fails, "on purpose" $(touch x)' },
      ],
    });
  });

  it('with busybox alone reports what it can', () => {
    expect(inventory('busybox')).toMatchObject({
      osFamily: 'alpine',
      packagesCount: null,
      updates: null,
      containerEngine: null,
      containers: null,
      failedUnits: null,
      rebootPending: false,
    });
  });

  it.each(['fedora-dnf4', 'fedora-dnf5'] as const)('%s lists updates, with their advisories', (name) => {
    const { osFamily, packagesCount, updates } = inventory(name);
    expect({ osFamily, packagesCount }).toEqual({ osFamily: 'fedora', packagesCount: 5 });
    expect(inShort(updates)).toEqual([
      'a-package-with-a-really-long-name-that-makes-dnf-wrap-its-output 1.0.0-1.fc39 1.0.1-1.20240311git0123456789abcdef0123456789.fc39',
      'demo-app 1.0-1.fc39 1.1-1.fc39',
      'demo-lib 1:2.4.1-3.fc39 1:2.4.1-4.fc39 security',
      'kernel-core 6.5.6-300.fc39 6.8.5-201.fc39 security',
    ]);
    expect(updates?.[2]?.origin).toBe('security');
  });

  it('suse-zypper lists updates', () => {
    const { osFamily, packagesCount, updates } = inventory('suse-zypper');
    expect({ osFamily, packagesCount }).toEqual({ osFamily: 'suse', packagesCount: 4 });
    expect(inShort(updates)).toEqual([
      'demo-app 1.0-1.fc39 1.1-1.fc39',
      'demo-lib 1:2.4.1-3.fc39 1:2.4.1-4.fc39',
      'kernel-core 6.5.6-300.fc39 6.8.5-201.fc39',
    ]);
    expect(updates?.[1]?.origin).toBe('security');
  });

  it('arch-pacman lists updates, held ones too, and a kernel that waits for a reboot', () => {
    const { osFamily, packagesCount, updates, rebootPending } = inventory('arch-pacman');
    expect({ osFamily, packagesCount, rebootPending }).toEqual({
      osFamily: 'arch',
      packagesCount: 4,
      rebootPending: true,
    });
    expect(inShort(updates)).toEqual([
      'demo-app 1:1.0-1 1:1.1-2',
      'demo-lib 2.0-1 2.1-1 held',
      'linux 6.9.1.arch1-1 6.9.2.arch1-1',
    ]);
  });

  it.each(['fedora-dnf4-cold', 'fedora-dnf5-cold', 'suse-zypper-cold', 'arch-pacman-cold'] as const)(
    '%s knows of no updates, which is not the same as having none',
    (name) => {
      expect(inventory(name).updates).toBeNull();
      expect(inventory(name).packagesCount).toBeGreaterThan(3);
    },
  );

  it('docker lists containers, and no label passes for another', () => {
    const { containerEngine, containers } = inventory('docker');
    expect(containerEngine).toBe('docker');
    const plain = { id: null, image: 'demo:v1', project: null, service: null, path: null, update: null };
    expect(containers).toEqual([
      { ...plain, name: 'idle', state: 'created', running: false, status: 'Created' },
      { ...plain, name: 'job', state: 'exited', running: false, status: 'Exited (3) Less than a second ago' },
      {
        ...plain,
        name: 'web',
        state: 'running',
        running: true,
        status: 'Up Less than a second',
        project: 'shop',
        service: 'web',
        path: '/srv/shop, "the" one',
      },
    ]);
  });

  it('podman lists containers', () => {
    const { containerEngine, containers } = inventory('podman');
    expect(containerEngine).toBe('podman');
    expect(containers?.map(({ name, project, path, state }) => ({ name, project, path, state }))).toEqual([
      { name: 'web', project: 'shop', path: '/srv/shop', state: 'created' },
      { name: 'job', project: null, path: null, state: 'created' },
      { name: 'up', project: null, path: null, state: 'created' },
    ]);
  });

  it('whose engine may not be asked is named without its containers', () => {
    expect(inventory('engines-denied')).toMatchObject({ containerEngine: 'docker', containers: null });
  });
});

describe('The listing of apk', () => {
  const listed = (text: string, exitCode = 0) =>
    readPackageListing(
      sectionsOf({
        'package-family': 'alpine\n',
        'packages-count': '25\n',
        'apk-updates': { text, exitCode },
      }),
    );

  it('tells names from versions', () => {
    const { family, packagesCount, updates } = listed(recordedText('apk-version'));
    expect({ family, packagesCount }).toEqual({ family: 'alpine', packagesCount: 25 });
    expect(inShort(updates)).toEqual(
      expect.arrayContaining([
        'alpine-baselayout-data 3.4.3-r1 3.6.8-r1',
        'ca-certificates-bundle 20241121-r1 20250911-r0',
        'ssl_client 1.36.1-r7 1.37.0-r14',
      ]),
    );
    expect(updates).toHaveLength(10);
  });

  it('is null without an index, and empty if nothing is pending', () => {
    const header = 'Installed:                                Available:\n';
    const warning = 'WARNING: opening from cache https://mirror.example/main: No such file or directory\n';
    expect(listed(warning + header).updates).toBeNull();
    expect(listed('', 1).updates).toBeNull();
    expect(listed(header).updates).toEqual([]);
  });
});
