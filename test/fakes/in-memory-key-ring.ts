import type { KeyRing } from '../../src/application/ports/service/key-ring.ts';

export class InMemoryKeyRing implements KeyRing {
  #ids: readonly string[];

  constructor(...ids: readonly string[]) {
    this.#ids = ids;
  }

  async ids(): Promise<readonly string[]> {
    return this.#ids;
  }

  async add(): Promise<string> {
    const id = `key-${this.#ids.length}`.padEnd(8, '_');
    this.#ids = [id, ...this.#ids];
    return id;
  }

  async remove(ids: readonly string[]): Promise<void> {
    this.#ids = this.#ids.filter((id) => !ids.includes(id));
  }
}
