import type { WindowStore } from '../../src/application/ports/automation/window-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import {
  type MaintenanceWindow,
  type NewWindow,
  windowNotFound,
} from '../../src/domain/automation/maintenance-window.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemoryWindowStore implements WindowStore {
  readonly #world: InMemoryWorld;
  readonly #windows = new Map<number, MaintenanceWindow>();

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async add(
    window: NewWindow,
    record: (window: MaintenanceWindow) => ChangeRecord,
  ): Promise<MaintenanceWindow> {
    this.#refuseTaken(window.name, null);
    const added = { ...window, id: this.#world.nextId('windows') };
    const left = record(added);
    this.#windows.set(added.id, added);
    this.#world.record.write(left);
    return added;
  }

  async change(
    id: number,
    { name, selector, opens, durationMs }: NewWindow,
    record: (window: MaintenanceWindow) => ChangeRecord,
  ): Promise<MaintenanceWindow> {
    const former = this.#windows.get(id);
    if (!former) throw windowNotFound(`with id ${id}`);
    this.#refuseTaken(name, id);
    const changed = { ...former, name, selector, opens, durationMs };
    const left = record(changed);
    this.#windows.set(id, changed);
    this.#world.record.write(left);
    return changed;
  }

  async enable(
    id: number,
    enabled: boolean,
    record: (window: MaintenanceWindow) => ChangeRecord,
  ): Promise<MaintenanceWindow> {
    const former = this.#windows.get(id);
    if (!former) throw windowNotFound(`with id ${id}`);
    const changed = { ...former, enabled };
    const left = record(changed);
    this.#windows.set(id, changed);
    this.#world.record.write(left);
    return changed;
  }

  async list(): Promise<readonly MaintenanceWindow[]> {
    return [...this.#windows.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    if (!this.#windows.delete(id)) throw windowNotFound(`with id ${id}`);
    this.#world.record.write(record);
  }

  #refuseTaken(name: string, by: number | null): void {
    if (![...this.#windows.values()].some((each) => each.name === name && each.id !== by)) return;
    throw new DomainError('name_taken', `There is a maintenance window named "${name}" already.`);
  }
}
