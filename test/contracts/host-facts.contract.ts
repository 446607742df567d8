import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostFacts } from '../../src/application/ports/fleet/host-facts.ts';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import {
  type Inventory,
  MAX_CONTAINERS,
  MAX_DISKS,
  MAX_FAILED_UNITS,
  MAX_UPDATES,
  OS_FAMILIES,
} from '../../src/domain/fleet/inventory.ts';

export interface HostFactsSubject {
  readonly facts: HostFacts;
  readonly host: RemoteHost;
  /** Answers, and is no Linux host. */
  readonly other: RemoteHost;
  /** No longer there: `host_unreachable`, `host_connection_lost` or `host_timeout`. */
  readonly gone: RemoteHost;
  /** Something that changes when anything on `host` does that facts are read from. */
  fingerprint(): Promise<string>;
  close(): Promise<void>;
}

const lasting = ({ cpuModel, updates, containers, ...found }: Omit<Inventory, 'at'>): object => ({
  names: [
    found.hostname,
    found.osId,
    found.osFamily,
    found.osVersion,
    found.osPretty,
    found.kernel,
    found.arch,
  ],
  machine: [
    found.hardware,
    cpuModel,
    found.cpuCores,
    found.memoryTotalBytes,
    found.diskTotalBytes,
    found.bootId,
  ],
  software: [found.packagesCount, updates, found.rebootPending, found.containerEngine, containers],
});

/** Every `HostFacts` does this. */
export function hostFactsContract(name: string, makeSubject: () => Promise<HostFactsSubject>): void {
  describe(`HostFacts: ${name}`, () => {
    let subject: HostFactsSubject;
    let found: Omit<Inventory, 'at'>;
    const signal = new AbortController().signal;

    beforeAll(async () => {
      subject = await makeSubject();
      found = await subject.facts.gather(subject.host, { signal });
    });
    afterAll(() => subject.close());

    it('reports what every Linux host has', () => {
      expect(found.osType).toBe('linux');
      for (const text of [found.hostname, found.kernel, found.arch]) expect(text).toMatch(/^\S+$/);
      expect(found.cpuCores).toBeGreaterThan(0);
      expect(Number.isInteger(found.cpuCores)).toBe(true);
      expect(found.cpuLoad).toBeGreaterThanOrEqual(0);
      expect(found.uptimeSeconds).toBeGreaterThan(0);
      expect([...OS_FAMILIES, null]).toContain(found.osFamily);
    });

    it('reports sizes in bytes, of which no more is used than there is', () => {
      const sizes = [
        [found.memoryTotalBytes, found.memoryUsedBytes],
        [found.diskTotalBytes, found.diskUsedBytes],
        ...found.disks.map(({ totalBytes, usedBytes }) => [totalBytes, usedBytes] as const),
      ] as const;
      for (const [total, used] of sizes) {
        expect(Number.isSafeInteger(total)).toBe(true);
        expect(used).toBeGreaterThanOrEqual(0);
        expect(used).toBeLessThanOrEqual(total);
      }
      expect(found.memoryTotalBytes).toBeGreaterThan(1024 * 1024);
    });

    it('tells the root first, and each mount once', () => {
      expect(found.disks[0]).toMatchObject({ mount: '/', totalBytes: found.diskTotalBytes });
      const mounts = found.disks.map(({ mount }) => mount);
      expect(new Set(mounts).size).toBe(mounts.length);
    });

    it('keeps lists within their bounds', () => {
      expect(found.disks.length).toBeLessThanOrEqual(MAX_DISKS);
      expect(found.updates?.length ?? 0).toBeLessThanOrEqual(MAX_UPDATES);
      expect(found.containers?.length ?? 0).toBeLessThanOrEqual(MAX_CONTAINERS);
      expect(found.failedUnits?.length ?? 0).toBeLessThanOrEqual(MAX_FAILED_UNITS);
      if (found.containerEngine === null) expect(found.containers).toBeNull();
    });

    it('reports the same again, except what changes by the minute', async () => {
      const again = await subject.facts.gather(subject.host, { signal });
      expect(lasting(again)).toEqual(lasting(found));
      expect(again.uptimeSeconds).toBeGreaterThanOrEqual(found.uptimeSeconds);
    });

    it('changes nothing', async () => {
      const before = await subject.fingerprint();
      await subject.facts.gather(subject.host, { signal });
      expect(await subject.fingerprint()).toBe(before);
    });

    it('does not take another system for Linux', async () => {
      const gathering = subject.facts.gather(subject.other, { signal });
      await expect(gathering).rejects.toMatchObject({ code: 'host_unsupported' });
    });

    it('passes on that a host cannot be reached', async () => {
      const gathering = subject.facts.gather(subject.gone, { signal });
      const code = expect.stringMatching(/^host_(unreachable|connection_lost|timeout)$/);
      await expect(gathering).rejects.toMatchObject({ code });
    });

    it('throws the reason of a signal that is aborted', async () => {
      const reason = new Error('no longer wanted');
      const gathering = subject.facts.gather(subject.host, { signal: AbortSignal.abort(reason) });
      await expect(gathering).rejects.toBe(reason);
    });
  });
}
