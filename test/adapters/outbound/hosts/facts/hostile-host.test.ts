import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContainers } from '../../../../../src/adapters/outbound/hosts/facts/containers.ts';
import { readInventory } from '../../../../../src/adapters/outbound/hosts/facts/shell-host-facts.ts';
import { readPackageListing } from '../../../../../src/adapters/outbound/hosts/packages/package-listing.ts';
import { readSections } from '../../../../../src/adapters/outbound/hosts/shell/marked-sections.ts';
import { isDomainError } from '../../../../../src/domain/base/errors.ts';
import {
  type Inventory,
  MAX_CONTAINERS,
  MAX_DISKS,
  MAX_FAILED_UNITS,
  MAX_UPDATES,
  OS_FAMILIES,
} from '../../../../../src/domain/fleet/inventory.ts';
import { hostileText } from '../../../../support/hostile-text.ts';
import { RECORDED_MARK, RECORDINGS, recordedSections, recordedText, sectionsOf } from './recorded-host.ts';

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

/** Plain, bounded text and sensible numbers, however deep. */
function expectPlain(value: unknown): void {
  if (typeof value === 'string') {
    expect(value.length).toBeLessThanOrEqual(1_000);
    expect(value).not.toMatch(CONTROL);
  } else if (typeof value === 'number') {
    expect(value).toBeGreaterThanOrEqual(0);
    expect(Number.isFinite(value)).toBe(true);
  } else if (value !== null && typeof value === 'object') {
    expect([Object.prototype, Array.prototype]).toContain(Object.getPrototypeOf(value));
    for (const each of Object.values(value)) expectPlain(each);
  }
}

function inventoryOrRefusal(read: () => Omit<Inventory, 'at'>): Omit<Inventory, 'at'> | null {
  try {
    return read();
  } catch (error) {
    expect(isDomainError(error, 'host_unsupported')).toBe(true);
    return null;
  }
}

describe('A host that lies', () => {
  it.each(['fedora-dnf4', 'arch-pacman', 'suse-zypper', 'docker', 'podman', 'debian-12-systemd'] as const)(
    'gets a plain inventory, or a refusal (%s, spoiled)',
    (name) => {
      fc.assert(
        fc.property(hostileText(recordedText(name)), (output) => {
          const found = inventoryOrRefusal(() => readInventory(readSections(output, RECORDED_MARK)));
          expectPlain(found);
        }),
        { numRuns: 100 },
      );
    },
  );

  it('gets a plain inventory whatever its sections say', () => {
    const real = RECORDINGS.flatMap((name) => [...recordedSections(name)]);
    const anySection = fc
      .constantFrom(...real)
      .chain(([name, { text }]) =>
        fc.tuple(fc.constant(name), hostileText(text), fc.constantFrom(0, 1, 100)),
      );
    fc.assert(
      fc.property(fc.array(anySection, { maxLength: 4 }), (spoiled) => {
        const sections = new Map(recordedSections('docker'));
        for (const [name, text, exitCode] of spoiled) sections.set(name, { text, exitCode });
        for (const family of OS_FAMILIES) {
          sections.set('package-family', { text: family, exitCode: 0 });
          expectPlain(inventoryOrRefusal(() => readInventory(sections)));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('gets no more of a list than an inventory keeps', () => {
    const many = (line: (index: number) => string): string =>
      Array.from({ length: 20_000 }, (_, index) => line(index)).join('');
    const updates: Readonly<Record<string, string>> = {
      'apk-updates': many((index) => `p${index}-1.0-r0 < 1.1-r0\n`),
      'pacman-updates': many((index) => `p${index} 1 -> 2\n`),
      'zypper-updates': many((index) => `v | r | p${index} | 1 | 2 | noarch\n`),
      'dnf-updates': many((index) => `p${index}.noarch 2 r\n`),
    };
    for (const family of ['alpine', 'arch', 'suse', 'fedora']) {
      const listing = readPackageListing(sectionsOf({ ...updates, 'package-family': family }));
      expect(listing.updates).toHaveLength(MAX_UPDATES);
    }
    const docker = many((index) => `["c${index}","running","i","Up","","",""]\n`);
    expect(readContainers(sectionsOf({ docker })).containers).toHaveLength(MAX_CONTAINERS);
    const podman = JSON.stringify(
      Array.from({ length: 5_000 }, (_, index) => ({
        Names: [`c${index}`],
        State: 'x',
        Image: 'i',
        Status: 's',
      })),
    );
    expect(readContainers(sectionsOf({ podman })).containers).toHaveLength(MAX_CONTAINERS);
    expect(MAX_DISKS + MAX_FAILED_UNITS).toBeLessThan(1_000);
  });

  it('cannot give labels that objects inherit', () => {
    const podman =
      '[{"Names":["x"],"State":"running","Image":"i","Status":"s","Labels":{"__proto__":{"a":"b"}}}]';
    expect(readContainers(sectionsOf({ podman })).containers).toEqual(
      expect.arrayContaining([expect.objectContaining({ project: null })]),
    );
  });
});
