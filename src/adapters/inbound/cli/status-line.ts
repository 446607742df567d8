import { oneLine } from '../../../domain/base/one-line.ts';
import type { Io } from './io.ts';
import { terminalSafe } from './terminal-text.ts';

const ERASE_LINE = '\r\u001b[K';

/** One line at the bottom of a terminal that says what goes on. Does nothing where there is no terminal. */
export class StatusLine {
  readonly #io: Io;
  #shown = '';

  constructor(io: Io) {
    this.#io = io;
  }

  show(text: string): void {
    if (this.#io.columns === null) return;
    const line = terminalSafe(oneLine(text, this.#io.columns - 1));
    if (line === this.#shown) return;
    this.#io.err(ERASE_LINE + line);
    this.#shown = line;
  }

  /** Before anything else is written. */
  clear(): void {
    if (this.#shown === '') return;
    this.#io.err(ERASE_LINE);
    this.#shown = '';
  }
}

/** `42 %  transferring www` */
export const progressText = (current: string | null, percent: number | null): string =>
  [percent === null ? null : `${Math.floor(percent)} %`, current].filter(Boolean).join('  ');
