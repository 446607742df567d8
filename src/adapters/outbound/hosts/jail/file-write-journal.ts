import { mkdir, open, opendir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type {
  JailWriteJournal,
  LeftWrite,
  WritePlace,
} from '../../../../application/ports/files/jail-write-journal.ts';
import type { ProcessList } from '../../../../application/ports/service/process-list.ts';
import { DAY, type Instant } from '../../../../domain/base/instant.ts';
import { JailPath } from '../../../../domain/files/jail-path.ts';

const MOST = 1_000;
const Entry = z.object({
  server_id: z.int(),
  jail: z.string(),
  directory: z.string(),
  begun_at: z.int(),
});

interface Deps {
  readonly dataDir: string;
  readonly processes: ProcessList;
  readonly newId: () => string;
  readonly now: () => Instant;
}

/** A small file for each running write, named after the writing process. */
export class FileWriteJournal implements JailWriteJournal {
  readonly #directory: string;
  readonly #deps: Deps;
  readonly #underWay = new Set<string>();

  /** `newId`: letters and digits, another one each time. */
  constructor(deps: Deps) {
    this.#directory = join(deps.dataDir, 'writes');
    this.#deps = deps;
  }

  async begin({ serverId, jail, directory }: WritePlace): Promise<string> {
    const id = `${this.#deps.processes.self}~${this.#deps.newId()}`;
    const entry = { server_id: serverId, jail, directory: String(directory), begun_at: this.#deps.now() };
    this.#underWay.add(id);
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const file = await open(this.#pathOf(id), 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(entry satisfies z.infer<typeof Entry>));
      await file.sync();
    } finally {
      await file.close();
    }
    const directoryFile = await open(this.#directory, 'r');
    try {
      await directoryFile.sync();
    } finally {
      await directoryFile.close();
    }
    return id;
  }

  async end(id: string): Promise<void> {
    this.#underWay.delete(id);
    await unlink(this.#pathOf(id)).catch(unlessMissing);
  }

  abandon(id: string): void {
    this.#underWay.delete(id);
  }

  async left(): Promise<readonly LeftWrite[]> {
    const found: LeftWrite[] = [];
    const names = await opendir(this.#directory).catch(unlessMissing);
    if (!names) return [];
    for await (const { name } of names) {
      const id = /^([\w.~-]+)\.json$/.exec(name)?.[1];
      if (id === undefined || this.#underWay.has(id)) continue;
      const entry = await this.#read(id);
      if (entry && (this.#isOver(id) || this.#deps.now() - entry.begunAt > DAY)) found.push(entry);
      if (found.length === MOST) break;
    }
    return found;
  }

  #isOver(id: string): boolean {
    const [writer = ''] = id.split('~');
    return writer === this.#deps.processes.self || this.#deps.processes.isDead(writer);
  }

  async #read(id: string): Promise<LeftWrite | null> {
    const text = await readFile(this.#pathOf(id), 'utf8').catch(unlessMissing);
    if (text === undefined) return null;
    try {
      const { server_id: serverId, jail, directory, begun_at: begunAt } = Entry.parse(JSON.parse(text));
      return { id, serverId, jail, directory: JailPath.parse(directory), begunAt };
    } catch {
      // interrupted at its start, before anything was written; a running one is not known to be over
      if (this.#isOver(id)) await this.end(id);
      return null;
    }
  }

  #pathOf(id: string): string {
    return join(this.#directory, `${id}.json`);
  }
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
  throw error;
}
