import type { Readable } from 'node:stream';
import { setImmediate as otherWork } from 'node:timers/promises';

/** Longer lines are cut: a line has one or two paths of at most 4,096 bytes, each byte up to five characters. */
const MAX_LINE_LENGTH = 48 * 1024;
/** Lines between which the service does other work. */
const AT_ONCE = 200;

/** Hands out lines (they end in LF, CR or with the stream) in latin1; resolves when the stream is over, however it ends. */
export async function readLines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  let rest = '';
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const lines = `${rest}${chunk.toString('latin1')}`.split(/[\r\n]/);
      rest = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH);
      for (const [index, line] of lines.entries()) {
        if (line !== '') onLine(line.slice(0, MAX_LINE_LENGTH));
        if (index % AT_ONCE === AT_ONCE - 1) await otherWork();
      }
    }
  } catch {
    // count what was read
  }
  if (rest !== '') onLine(rest);
}

/** The parts of rsync's `--stats` that Drover needs. */
export interface RsyncStats {
  /** Everything but directories. */
  readonly files: number;
  readonly regularFiles: number;
  readonly directories: number;
  /** Entries other than directories that no `--link-dest` has. */
  readonly created: number;
  readonly transferredFiles: number;
  readonly totalBytes: number;
  /** Sizes of the files that are transferred, whole. */
  readonly transferredBytes: number;
  /** Content that really sent over the network. */
  readonly literalBytes: number;
}

/** Gathers statistics and progress from rsync's output (`--stats --info=progress2 --no-human-readable`). */
export class RsyncOutput {
  readonly #numbers = new Map<string, number>();
  readonly #onProgress: (bytes: number) => void;

  constructor(onProgress: (bytes: number) => void = () => undefined) {
    this.#onProgress = onProgress;
  }

  readonly line = (line: string): void => {
    const progress = /^\s*(\d+)\s+\d+%\s/.exec(line)?.[1];
    if (progress !== undefined) return this.#onProgress(Number(progress));
    const counted = /^(Number of files|Number of created files): (\d+)(?: \((.*)\))?$/.exec(line);
    if (counted) return this.#countKinds(counted[1] ?? '', counted[2] ?? '', counted[3] ?? '');
    const single =
      /^(Number of regular files transferred|Total file size|Total transferred file size|Literal data): (\d+)/.exec(
        line,
      );
    if (single) this.#numbers.set(single[1] ?? '', Number(single[2]));
  };

  /** `null` when rsync ended before it printed them. */
  stats(): RsyncStats | null {
    if (!this.#numbers.has('Literal data')) return null;
    const files = this.#of('Number of files') - this.#of('Number of files dir');
    return {
      files,
      regularFiles: this.#of('Number of files reg'),
      directories: this.#of('Number of files dir'),
      created: this.#of('Number of created files') - this.#of('Number of created files dir'),
      transferredFiles: this.#of('Number of regular files transferred'),
      totalBytes: this.#of('Total file size'),
      transferredBytes: this.#of('Total transferred file size'),
      literalBytes: this.#of('Literal data'),
    };
  }

  #countKinds(what: string, total: string, kinds: string): void {
    this.#numbers.set(what, Number(total));
    for (const each of kinds.split(', ')) {
      const [kind = '', count = ''] = each.split(': ');
      this.#numbers.set(`${what} ${kind}`, Number(count));
    }
  }

  #of(name: string): number {
    return this.#numbers.get(name) ?? 0;
  }
}
