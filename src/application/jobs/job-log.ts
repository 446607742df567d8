import type { Instant } from '../../domain/base/instant.ts';
import { visibleText } from '../../domain/base/visible-text.ts';

/** The chunk size for database writes, in bytes of UTF-8. */
const CHUNK_BYTES = 64 * 1024;
/** Waiting for a slow database, at most this much is kept in memory. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** A line longer than this is broken into several. */
const MAX_LINE_LENGTH = 8 * 1024;

const utf8 = new TextEncoder();

interface PendingLine {
  readonly text: string;
  readonly bytes: number;
  readonly runMarker: string | undefined;
}

/** Collects a job's log lines and hands them on in order, in chunks of whole lines. */
export class JobLog {
  readonly #write: (text: string, runMarker: string | undefined) => Promise<void>;
  readonly #now: () => Instant;
  #waiting: PendingLine[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #writing: Promise<void> = Promise.resolve();

  /** `write` gets whole lines, at most 64 KiB a call, one call at a time. */
  constructor(write: (text: string, runMarker: string | undefined) => Promise<void>, now: () => Instant) {
    this.#write = write;
    this.#now = now;
  }

  /**
   * Adds a line (or several, if it has line breaks), each with the time in front. Removes control characters other
   * than ANSI color. `runMarker` records a follower's progress up to this text; it is written with it.
   */
  add(text: string, runMarker?: string): void {
    const stamp = new Date(this.#now()).toISOString().slice(11, 19);
    const lines = text.split(/\r\n|\n|\r/).flatMap((line) => pieces(clean(line)));
    for (const [index, line] of lines.entries()) {
      this.#push(`${stamp} ${line}\n`, index === lines.length - 1 ? runMarker : undefined);
    }
  }

  /** Writes everything added so far. Rejects as `write` does; unwritten text is kept for the next call. */
  flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#drain());
    return this.#writing;
  }

  /**
   * The same, except for the last part, which it returns: the caller writes it. Until then it stays here, and is
   * returned again.
   */
  async last(): Promise<string> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#drain(CHUNK_BYTES));
    await this.#writing;
    return textOf(this.#waiting);
  }

  #push(line: string, runMarker: string | undefined): void {
    const bytes = utf8.encode(line).length;
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#dropped += 1;
      return;
    }
    if (this.#dropped > 0) {
      const note = `(${this.#dropped} lines were lost here: the database was too slow to take them)\n`;
      this.#dropped = 0;
      this.#waiting.push({ text: note, bytes: note.length, runMarker: undefined });
      this.#waitingBytes += note.length;
    }
    this.#waiting.push({ text: line, bytes, runMarker });
    this.#waitingBytes += bytes;
  }

  /** Until at most this many bytes are left. */
  async #drain(left = 0): Promise<void> {
    while (this.#waitingBytes > left) {
      let count = 0;
      let bytes = 0;
      for (const line of this.#waiting) {
        if (count > 0 && bytes + line.bytes > CHUNK_BYTES) break;
        bytes += line.bytes;
        count += 1;
      }
      const chunk = this.#waiting.slice(0, count);
      const runMarker = chunk.findLast((line) => line.runMarker !== undefined)?.runMarker;
      await this.#write(textOf(chunk), runMarker);
      this.#waiting = this.#waiting.slice(count);
      this.#waitingBytes -= bytes;
    }
  }
}

const textOf = (lines: readonly PendingLine[]): string => lines.map((line) => line.text).join('');

/** Removes what could confuse a terminal, a web page or an agent; colors (`ESC[…m`) and tabs stay. */
function clean(line: string): string {
  return visibleText(line).replace(
    /\u001b\[[0-9;]*m|\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007]*(?:\u0007|$)|.)?|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]/g,
    (found) => (/^\u001b\[[0-9;]*m$/.test(found) ? found : ''),
  );
}

function pieces(line: string): string[] {
  if (line.length <= MAX_LINE_LENGTH) return [line];
  const parts: string[] = [];
  let rest = line;
  while (rest.length > MAX_LINE_LENGTH) {
    // A surrogate pair stays whole.
    const code = rest.charCodeAt(MAX_LINE_LENGTH - 1);
    const cut = code >= 0xd800 && code <= 0xdbff ? MAX_LINE_LENGTH - 1 : MAX_LINE_LENGTH;
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...parts, rest];
}
