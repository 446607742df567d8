import { describe, expect, it } from 'vitest';
import type { StoreSpace } from '../../src/application/ports/backups/store-space.ts';

/** Every `StoreSpace` does this. `make`: for a directory that exists, or whose parent does. */
export function storeSpaceContract(name: string, make: (isThere: boolean) => Promise<StoreSpace>): void {
  describe(`StoreSpace: ${name}`, () => {
    it.each([true, false])('knows the size of the file system (directory exists: %s)', async (isThere) => {
      const space = await (await make(isThere)).now();
      expect(space?.total).toBeGreaterThan(0);
      expect(space?.free).toBeLessThanOrEqual(space?.total ?? 0);
    });
  });
}
