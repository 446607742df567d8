import type { DeviceStore } from '../../src/application/ports/access/device-store.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { InMemoryWorld } from './in-memory-world.ts';

interface Device {
  readonly id: number;
  readonly userId: number;
  readonly hash: string;
  readonly seenAt: Instant;
}

export class InMemoryDeviceStore implements DeviceStore {
  readonly #world: InMemoryWorld;
  #devices: readonly Device[] = [];

  constructor(world: InMemoryWorld) {
    this.#world = world;
  }

  async find(userId: number, secretHash: string, usedSince: Instant): Promise<number | null> {
    const found = this.#devices.find((device) => device.userId === userId && device.hash === secretHash);
    return found && found.seenAt >= usedSince ? found.id : null;
  }

  async remember(
    userId: number,
    { hash, formerHash }: { readonly hash: string; readonly formerHash: string | null },
    at: Instant,
    keep: number,
  ): Promise<number> {
    const renewed = this.#devices.map((each) => (each.hash === formerHash ? { ...each, hash } : each));
    const known = renewed.find((each) => each.userId === userId && each.hash === hash);
    const mine = { userId, hash, id: known?.id ?? this.#world.nextId('devices'), seenAt: at };
    const others = renewed
      .filter((each) => each.userId === userId && each.id !== mine.id)
      .toSorted((a, b) => b.seenAt - a.seenAt || b.id - a.id);
    this.#devices = [...renewed.filter((each) => each.userId !== userId), ...others.slice(0, keep - 1), mine];
    return mine.id;
  }

  async remove(userId: number, id: number): Promise<void> {
    this.#keep((device) => device.userId !== userId || device.id !== id);
  }

  async removeAll(userId: number, except: number | null): Promise<number> {
    return this.#keep((device) => device.userId !== userId || device.id === except);
  }

  async forgetUnusedSince(at: Instant, most: number): Promise<number> {
    const old = new Set(this.#devices.filter(({ seenAt }) => seenAt < at).slice(0, most));
    return this.#keep((device) => !old.has(device));
  }

  #keep(isKept: (device: Device) => boolean): number {
    const before = this.#devices.length;
    this.#devices = this.#devices.filter(isKept);
    return before - this.#devices.length;
  }
}
