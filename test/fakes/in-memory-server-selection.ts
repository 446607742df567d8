import type { SelectedServer, ServerSelection } from '../../src/application/ports/fleet/server-selection.ts';
import { type HostSelector, selects } from '../../src/domain/fleet/host-selector.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemoryServerSelection implements ServerSelection {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async select(
    selector: HostSelector,
    within: readonly number[] | null,
    limit: number,
  ): Promise<readonly SelectedServer[]> {
    return [...this.#world.servers.values()]
      .filter((server) => selects(selector, server) && (within?.includes(server.id) ?? true))
      .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id))
      .slice(0, limit)
      .map(({ id, name, tags, features }) => ({ id, name, tags, features }));
  }
}
