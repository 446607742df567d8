import type { SettingStore } from '../../src/application/ports/setting-store.ts';

export class InMemorySettingStore implements SettingStore {
  readonly #settings = new Map<string, string>();

  async get(name: string): Promise<string | null> {
    return this.#settings.get(name) ?? null;
  }

  async set(name: string, value: string): Promise<void> {
    this.#settings.set(name, value);
  }

  async setOnce(name: string, value: string): Promise<boolean> {
    if (this.#settings.has(name)) return false;
    this.#settings.set(name, value);
    return true;
  }
}
