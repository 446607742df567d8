import type { LogPart } from '../../src/application/ports/jobs/job-store.ts';
import {
  cutNotice,
  EMPTY_LOG,
  earliestTail,
  extendLog,
  LOG_TAIL_BYTES,
  type LogExtent,
  type LogLimits,
  logWindow,
  splitLines,
} from '../../src/domain/jobs/job-log.ts';

/** A job's log that keeps everything and shows only what a bounded one would still have. */
export class InMemoryJobLog {
  readonly #limits: LogLimits;
  readonly #starts: number[] = [];
  #content = Buffer.alloc(0);
  #extent: LogExtent = EMPTY_LOG;

  constructor(limits: LogLimits) {
    this.#limits = limits;
  }

  append(text: string): void {
    const added = Buffer.from(text);
    this.#starts.push(this.#extent.bytes);
    this.#content = Buffer.concat([this.#content, added]);
    this.#extent = extendLog(this.#extent, added.length, this.#limits);
    const earliest = earliestTail(this.#extent, this.#limits);
    if (earliest === null) return;
    const tailStart = this.#starts.find((start) => start >= earliest) ?? this.#starts.at(-1) ?? 0;
    this.#extent = { ...this.#extent, tailStart };
  }

  read(after: number): LogPart {
    const { from, to, cutBytes } = logWindow(this.#extent, after);
    let [start, end] = [from, to];
    while (isContinuation(this.#content[start])) start += 1;
    while (end > start && isContinuation(this.#content[end])) end -= 1;
    return { next: end, text: this.#content.toString('utf8', start, end), cutBytes };
  }

  tail(count: number): string[] {
    const { bytes, headEnd, tailStart } = this.#extent;
    const from = this.#starts.find((start) => start >= bytes - LOG_TAIL_BYTES) ?? bytes;
    const part = (start: number, end: number): string[] =>
      splitLines(this.#content.toString('utf8', start, end));
    const lines =
      headEnd < tailStart && from < tailStart
        ? [
            ...part(Math.min(from, headEnd), headEnd),
            cutNotice(tailStart - headEnd),
            ...part(tailStart, bytes),
          ]
        : part(from, bytes);
    return lines.slice(Math.max(0, lines.length - Math.min(1_000, Math.max(0, count))));
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
