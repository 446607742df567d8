import type { GatherOptions, HostFacts } from '../../src/application/ports/fleet/host-facts.ts';
import type { HostQuestion } from '../../src/application/ports/fleet/host-question.ts';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import type { Inventory } from '../../src/domain/fleet/inventory.ts';

type Found = Omit<Inventory, 'at'>;

/** A plain Debian host with nothing to do. */
export const fakeInventory = (changes: Partial<Found> = {}): Found => ({
  hostname: 'web-1',
  osType: 'linux',
  osId: 'debian',
  osFamily: 'debian',
  osVersion: '12',
  osPretty: 'Debian GNU/Linux 12 (bookworm)',
  kernel: '6.1.0-18-amd64',
  arch: 'x86_64',
  hardware: 'kvm',
  cpuModel: 'AMD EPYC',
  cpuCores: 2,
  cpuLoad: 0.25,
  memoryTotalBytes: 4_294_967_296,
  memoryUsedBytes: 1_073_741_824,
  diskTotalBytes: 21_474_836_480,
  diskUsedBytes: 5_368_709_120,
  disks: [{ mount: '/', filesystem: 'ext4', totalBytes: 21_474_836_480, usedBytes: 5_368_709_120 }],
  uptimeSeconds: 86_400,
  bootId: '07dbb4f1-4deb-4ad7-8a7d-cd458ca6ae44',
  packagesCount: 400,
  updates: [],
  packagesStamp: null,
  packagesNotes: [],
  packageLists: null,
  rebootPending: false,
  containerEngine: null,
  containers: null,
  failedUnits: [],
  ...changes,
});

/** Returns the facts that were set for hosts, without contacting them. */
export class FakeHostFacts implements HostFacts {
  /** Default facts of a host. */
  inventory: Found;
  readonly #answers = new WeakMap<RemoteHost, Found | Error>();

  constructor(inventory: Found = fakeInventory()) {
    this.inventory = inventory;
  }

  /** From now on this host returns this, or fails with this. */
  answer(host: RemoteHost, found: Found | Error): this {
    this.#answers.set(host, found);
    return this;
  }

  async gather(host: RemoteHost, { signal }: GatherOptions): Promise<Found> {
    signal.throwIfAborted();
    const answer = this.#answers.get(host) ?? this.inventory;
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** Whatever a host prints, this is how it is understood: as nothing else is said of it. */
  question(): HostQuestion<Found> {
    return {
      script: 'facts',
      args: [],
      timeoutMs: 1_000,
      maxOutputBytes: 1_000,
      read: () => this.inventory,
    };
  }
}
