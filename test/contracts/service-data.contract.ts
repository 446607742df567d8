import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceData } from '../../src/application/ports/service/service-data.ts';

export interface ServiceDataSubject {
  readonly data: ServiceData;
  /** Commits a change to the database. */
  readonly put: (name: string, value: string) => Promise<void>;
  /** Opens a copy and reads the value of a name; `null`: none. */
  readonly readCopy: (path: string, name: string) => Promise<string | null>;
  readonly close: () => Promise<void>;
}

/** What every `ServiceData` does. */
export function serviceDataContract(name: string, makeSubject: () => Promise<ServiceDataSubject>): void {
  describe(`ServiceData: ${name}`, () => {
    async function subject(): Promise<ServiceDataSubject> {
      const made = await makeSubject();
      onTestFinished(() => made.close());
      return made;
    }

    it('writes a copy below the data directory that can be opened and has every committed change', async () => {
      const { data, put, readCopy } = await subject();
      await put('first', 'wörd "x"\n');
      const path = await data.writeDatabaseCopy();
      expect(isAbsolute(path)).toBe(true);
      expect(path.startsWith(`${data.directory}/`)).toBe(true);
      expect(await readCopy(path, 'first')).toBe('wörd "x"\n');
      expect(await readCopy(path, 'second')).toBeNull();
    });

    it('replaces the previous copy and leaves nothing else behind', async () => {
      const { data, put, readCopy } = await subject();
      await put('count', '1');
      const first = await data.writeDatabaseCopy();
      await put('count', '2');
      expect(await readCopy(first, 'count')).toBe('1');
      const second = await data.writeDatabaseCopy();
      expect(second).toBe(first);
      expect(await readCopy(second, 'count')).toBe('2');
      expect(await readdir(join(second, '..'))).toHaveLength(1);
    });

    it('has what was committed before, whatever is written meanwhile', async () => {
      const { data, put, readCopy } = await subject();
      await put('before', 'x'.repeat(200_000));
      const writing = data.writeDatabaseCopy();
      for (let index = 0; index < 20; index += 1) await put(`during-${index}`, 'y');
      expect(await readCopy(await writing, 'before')).toBe('x'.repeat(200_000));
    });

    it('takes several at once', async () => {
      const { data, put, readCopy } = await subject();
      await put('first', '1');
      const paths = await Promise.all([data.writeDatabaseCopy(), data.writeDatabaseCopy()]);
      for (const path of paths) expect(await readCopy(path, 'first')).toBe('1');
    });

    it('names what a backup leaves out, anchored, and not the copy', async () => {
      const { data } = await subject();
      const path = await data.writeDatabaseCopy();
      expect(data.excludes.length).toBeGreaterThan(0);
      for (const pattern of data.excludes) expect(pattern.startsWith('/')).toBe(true);
      expect(data.excludes).not.toContain(path);
      expect((await stat(path)).size).toBeGreaterThan(0);
    });
  });
}
