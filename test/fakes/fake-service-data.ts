import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceData } from '../../src/application/ports/service/service-data.ts';

/** Writes whatever `dump` gives at the moment as the copy of the database. */
export class FakeServiceData implements ServiceData {
  readonly directory: string;
  readonly excludes: readonly string[];
  readonly #dump: () => Promise<string>;

  constructor(directory: string, dump: () => Promise<string> = async () => '') {
    this.directory = directory;
    this.excludes = [`${directory}/snapshots/`, `${directory}/live.database`];
    this.#dump = dump;
  }

  async writeDatabaseCopy(): Promise<string> {
    const path = join(this.directory, 'export', 'database.copy');
    await mkdir(join(this.directory, 'export'), { recursive: true });
    const unfinished = `${path}.${randomUUID()}`;
    await writeFile(unfinished, await this.#dump());
    await rename(unfinished, path);
    return path;
  }
}
