import type { DestinationStream } from 'pino';
import { withoutEscapes } from '../../../domain/base/visible-text.ts';

const MAX_VALUE = 80;
/** Removes terminal control characters: a log line is one line. */
const CONTROL = /[\u0000-\u001f]+/g;
/** Bold red, yellow, none and grey. */
const COLOURS: Readonly<Record<string, string>> = { error: '1;31', warn: '33', debug: '90' };

/**
 * Log lines for people at a terminal: local time, level, message, and short fields. Files and log collectors get
 * JSON. pino-pretty would add 13 packages.
 */
export class TerminalLines implements DestinationStream {
  readonly #target: DestinationStream;

  constructor(target: DestinationStream) {
    this.#target = target;
  }

  write(line: string): void {
    const { level, time, message, ...fields } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const name = String(level).toUpperCase().padEnd(5);
    const colour = COLOURS[String(level)];
    const shown = Object.entries(fields).map(([key, value]) => ` ${key}=${shortValue(value)}`);
    this.#target.write(
      `${clockTime(String(time))} ${colour === undefined ? name : `\u001b[${colour}m${name}\u001b[0m`} ${plain(String(message))}${shown.join('')}\n`,
    );
  }
}

const clockTime = (iso: string): string => new Date(iso).toTimeString().slice(0, 8);

function shortValue(value: unknown): string {
  if (Array.isArray(value) && value.length > 3) return `(${value.length} entries)`;
  const text = plain(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

const plain = (text: string): string => withoutEscapes(text).replace(CONTROL, ' ').trim();
