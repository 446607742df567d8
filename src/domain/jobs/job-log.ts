/**
 * A job's log is bounded: the head and the tail are kept, the middle is cut out and counted. Positions are byte
 * offsets (UTF-8) into everything that was ever logged, so they stay valid whatever is cut.
 */
export interface LogLimits {
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** 10 MB a job. */
export const LOG_LIMITS: LogLimits = { headBytes: 5_000_000, tailBytes: 5_000_000 };

/** The most bytes to append or read at once. */
export const LOG_PART_BYTES = 64 * 1024;

/** The most that the last lines of a log can take together, in bytes. */
export const LOG_TAIL_BYTES = 256 * 1024;

/** How far a log reaches. Kept are `[0, headEnd)` and `[tailStart, bytes)`. */
export interface LogExtent {
  /** All that was ever logged. */
  readonly bytes: number;
  /** Equal to `bytes` for as long as everything fits the head. */
  readonly headEnd: number;
  /** Equal to `headEnd` for as long as nothing is cut. */
  readonly tailStart: number;
}

export const EMPTY_LOG: LogExtent = { bytes: 0, headEnd: 0, tailStart: 0 };

/** The log after `count` more bytes, before a cut. Bytes beyond the head's limit start the tail. */
export function extendLog(log: LogExtent, count: number, limits: LogLimits): LogExtent {
  const bytes = log.bytes + count;
  const fitsHead = log.headEnd === log.bytes && bytes <= limits.headBytes;
  return fitsHead ? { bytes, headEnd: bytes, tailStart: bytes } : { ...log, bytes };
}

/** The earliest start of the tail that keeps its limit; `null` if it is within the limit. */
export const earliestTail = (log: LogExtent, limits: LogLimits): number | null =>
  log.bytes - log.tailStart > limits.tailBytes ? log.bytes - limits.tailBytes : null;

/** The result of a read at a position: the bytes `[from, to)`, after `cutBytes` that were cut. */
export interface LogWindow {
  readonly from: number;
  readonly to: number;
  readonly cutBytes: number;
}

/** At most `LOG_PART_BYTES`, never across the cut. Positions beyond either end count as that end. */
export function logWindow(log: LogExtent, after: number): LogWindow {
  const at = Math.min(Math.max(0, Math.trunc(after)), log.bytes);
  const from = at >= log.headEnd && at < log.tailStart ? log.tailStart : at;
  const end = from < log.headEnd ? log.headEnd : log.bytes;
  return { from, to: Math.min(end, from + LOG_PART_BYTES), cutBytes: from - at };
}

/** The line that replaces the cut part. */
export const cutNotice = (bytes: number): string =>
  `[${bytes} bytes were left out here: the log was too long]`;

const utf8 = new TextEncoder();
const bytesOf = (text: string): number => utf8.encode(text).length;

/** Throws `RangeError` for a part that is too long, or that ends inside a line. */
export function checkLogPart(text: string): void {
  if (text !== '' && !text.endsWith('\n')) throw new RangeError('a part of a log has to end with a newline');
  const bytes = bytesOf(text);
  if (bytes > LOG_PART_BYTES)
    throw new RangeError(`a part of a log has ${bytes} bytes, more than ${LOG_PART_BYTES}`);
}

const LATEST_LINES = 8;
const LATEST_BYTES = 2_048;

/** The last few lines, to be kept with the job itself: at most 8, and 2 KB together. */
export function latestLines(before: readonly string[], appended: string): readonly string[] {
  const lines = [...before, ...splitLines(appended)].slice(-LATEST_LINES);
  const kept: string[] = [];
  let room = LATEST_BYTES;
  for (const line of lines.toReversed()) {
    const bytes = bytesOf(line);
    if (bytes > room && kept.length > 0) break;
    kept.unshift(bytes > room ? shortened(line, room) : line);
    room -= bytes;
  }
  return kept;
}

/** The lines of a text in which each line, the last one too, ends with a newline. */
export const splitLines = (text: string): string[] => text.split('\n').slice(0, -1);

function shortened(line: string, bytes: number): string {
  const mark = '…';
  let room = bytes - bytesOf(mark);
  let kept = '';
  for (const character of line) {
    room -= bytesOf(character);
    if (room < 0) break;
    kept += character;
  }
  return kept + mark;
}
