import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const LOOK_EVERY_MS = 10;

/** Looks again and again at the processes that a process starts, however short they live. */
export class ChildWatch {
  /** Command lines and environments, words apart by blanks. */
  readonly seen = new Set<string>();
  readonly #isBelow: Map<number, boolean>;
  readonly #timer: NodeJS.Timeout;

  constructor(parent: number) {
    this.#isBelow = new Map([[parent, true]]);
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  /** Returns all traces, a process a line. */
  stop(): readonly string[] {
    clearInterval(this.#timer);
    return [...this.seen];
  }

  #look(): void {
    for (const pid of processes()) {
      if (!this.#below(pid)) continue;
      const words = ['cmdline', 'environ'].map((part) => read(`/proc/${pid}/${part}`).replaceAll('\0', ' '));
      this.seen.add(words.join(' '));
    }
  }

  /** A process that is ours stays ours when its parent ends. */
  #below(pid: number): boolean {
    const known = this.#isBelow.get(pid);
    if (known !== undefined) return known;
    const parent = parentOf(pid);
    const found = parent !== undefined && this.#below(parent);
    this.#isBelow.set(pid, found);
    return found;
  }
}

/** Paths of the files below a directory that hold any of these texts. */
export async function filesWith(directory: string, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // the service writes and removes files meanwhile
    const content = await readFile(path).catch(() => Buffer.alloc(0));
    if (texts.some((text) => content.includes(text))) found.push(path);
  }
  return found.sort();
}

/** Processes of this machine with that text in their command line. */
export const processesWith = (text: string): number[] =>
  processes().filter((pid) => read(`/proc/${pid}/cmdline`).includes(text));

const processes = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** proc(5): the command's name is in parentheses and may hold blanks; the parent is field 4. */
function parentOf(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  return parent === undefined || parent === '0' ? undefined : Number(parent);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
