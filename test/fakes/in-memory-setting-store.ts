import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { SettingStore } from '../../src/application/ports/service/setting-store.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemorySettingStore implements SettingStore {
  readonly #world: InMemoryWorld;
  readonly #settings = new Map<string, string>();

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async get(name: string): Promise<string | null> {
    return this.#settings.get(name) ?? null;
  }

  async set(name: string, value: string, record: ChangeRecord = {}): Promise<void> {
    this.#settings.set(name, value);
    this.#world.record.write(record);
  }

  async setOnce(name: string, value: string): Promise<boolean> {
    if (this.#settings.has(name)) return false;
    this.#settings.set(name, value);
    return true;
  }
}
