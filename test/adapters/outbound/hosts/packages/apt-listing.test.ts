import { describe, expect, it } from 'vitest';
import {
  type AptUpdates,
  aptPlanErrors,
  readAptListing,
} from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-listing.ts';
import type { PendingUpdate } from '../../../../../src/domain/fleet/inventory.ts';
import { recordedSections } from './recording.ts';

function listing(system: string): AptUpdates {
  const found = readAptListing(recordedSections(`apt-listing-${system}`));
  if (!found) throw new Error('no listing');
  return found;
}

const named = ({ updates }: AptUpdates, name: string): PendingUpdate | undefined =>
  updates.find((update) => update.name === name);

describe('The listing of apt', () => {
  it.each([
    { system: 'debian-11', updates: 29, security: 29, held: 1, fresh: 0 },
    { system: 'debian-12', updates: 16, security: 9, held: 0, fresh: 0 },
    { system: 'debian-13', updates: 8, security: 7, held: 0, fresh: 0 },
    { system: 'ubuntu-22.04', updates: 66, security: 61, held: 1, fresh: 0 },
    { system: 'ubuntu-24.04', updates: 68, security: 43, held: 1, fresh: 1 },
  ])('of $system is read whole', ({ system, ...counts }) => {
    const { updates } = listing(system);
    expect({
      updates: updates.length,
      security: updates.filter((update) => update.security).length,
      held: updates.filter((update) => update.held).length,
      fresh: updates.filter((update) => update.from === null).length,
    }).toEqual(counts);
    expect(new Set(updates.map((update) => update.name)).size).toBe(updates.length);
    for (const update of updates) {
      expect(update.to).toMatch(/^[0-9]/);
      expect(update.origin).toMatch(/Debian|Ubuntu|noble|jammy|bullseye/);
    }
  });

  it('tells versions with epochs, and names of other architectures', () => {
    expect(named(listing('debian-13'), 'zlib1g')).toEqual({
      name: 'zlib1g',
      from: '1:1.3.dfsg+really1.3.1-1+b1',
      to: '1:1.3.dfsg+really1.3.1-1+deb13u1',
      security: true,
      origin: 'Debian-Security:13/stable-security',
      held: false,
    });
    expect(named(listing('debian-11'), 'libc6:i386')).toMatchObject({
      from: '2.31-13+deb11u11',
      to: '2.31-13+deb11u14',
      security: true,
    });
  });

  it('tells a security update by any of the places that a version comes from', () => {
    expect(named(listing('debian-12'), 'python3-jwt')).toMatchObject({
      origin: 'Debian:12.15/oldstable, Debian-Security:12/oldstable-security',
      security: true,
    });
    expect(named(listing('debian-12'), 'bash')).toMatchObject({ security: false });
    expect(named(listing('ubuntu-22.04'), 'base-files')).toMatchObject({
      origin: 'Ubuntu:22.04/jammy-updates',
      security: false,
    });
  });

  it('lists a package that the upgrade would bring in', () => {
    expect(named(listing('ubuntu-24.04'), 'libdb5.3t64')).toMatchObject({
      from: null,
      to: '5.3.28+dfsg2-7',
      security: false,
    });
  });

  it('lists a held package with the version that waits for it', () => {
    expect(named(listing('debian-11'), 'libssl1.1')).toMatchObject({ held: true, security: true });
    expect(named(listing('ubuntu-24.04'), 'libpam0g')).toEqual({
      name: 'libpam0g',
      from: '1.5.3-5ubuntu5',
      to: '1.5.3-5ubuntu5.7',
      security: true,
      origin: 'noble-updates/main, noble-security/main',
      held: true,
    });
  });

  it('lists what apt keeps back, and says so; leaves out what is being phased, and says so', () => {
    const ubuntu = listing('ubuntu-24.04');
    expect(named(ubuntu, 'libc6')).toMatchObject({ held: false, security: true });
    expect(named(ubuntu, 'distro-info')).toBeUndefined();
    expect(ubuntu.notes).toEqual([
      'apt keeps these back because of their dependencies: gcc-14-base, libc6, libgcc-s1, libstdc++6.',
      expect.stringMatching(/phases.*: alsa-ucm-conf, distro-info\.$/),
    ]);
  });

  it('is none where apt cannot make a plan, and gives its reasons', () => {
    const text = 'Reading package lists...\nE: Unmet dependencies. Try using -f.\n';
    const sections = new Map([['apt-plan', { text, exitCode: 100 }]]);
    expect(readAptListing(sections)).toBeNull();
    expect(aptPlanErrors(sections)).toEqual(['Unmet dependencies. Try using -f.']);
  });

  it('is none where the host was cut off', () => {
    expect(readAptListing(new Map())).toBeNull();
    expect(aptPlanErrors(new Map())).toEqual([]);
  });
});
