import type { StoreSpace } from '../../src/application/ports/backups/store-space.ts';
import type { Space } from '../../src/domain/backups/backup-totals.ts';

export class FakeStoreSpace implements StoreSpace {
  space: Space | null = { total: 1_000 * 2 ** 30, free: 250 * 2 ** 30 };

  async now(): Promise<Space | null> {
    return this.space;
  }
}
