import { oneLine } from '../../../domain/base/one-line.ts';
import type { Io } from './io.ts';

const ERASE_LINE = '\r\u001b[K';

/** One progress line at the bottom of a terminal. Does nothing without a terminal. */
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

/** Colors and bold, which do no harm; everything else that starts with ESC can move the cursor or worse. */
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
const COLOUR = /^\u001b\[[0-9;]*m$/;
const CONTROL = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]|\u001b(?!\[[0-9;]*m)/g;

/** Text from hosts, without anything that could take over a terminal. Line breaks, tabs and colors stay. */
export const terminalSafe = (text: string): string =>
  text.replace(ESCAPE_SEQUENCE, (sequence) => (COLOUR.test(sequence) ? sequence : '')).replace(CONTROL, '');
