import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import type { Logger } from '../../../application/ports/base/logger.ts';
import { withoutEscapes } from '../../../domain/base/visible-text.ts';
import { LineBuffer } from './line-buffer.ts';
import { withoutSecrets, withoutSecretWords } from './redaction.ts';

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

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

const STDERR = 2;
const ENDING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** One JSON object a line: `level`, `time` (ISO 8601, UTC), the fields, `message`; on a terminal a line for people. */
export class PinoLogger implements Logger {
  readonly #pino: Pino;
  readonly #flush: () => void;

  private constructor(logger: Pino, flush: () => void) {
    this.#pino = logger;
    this.#flush = flush;
  }

  /** Each line goes to the target immediately. */
  static to(target: DestinationStream, level: LogLevel): PinoLogger {
    return new PinoLogger(lineWriter(target, level), () => {});
  }

  /**
   * To standard error. Warnings and errors are written immediately, with all lines before them; other lines within a
   * fraction of a second, and when the process ends: normally, by `process.exit`, by an uncaught exception, or by a
   * signal that can be handled. Only SIGKILL, or the machine's end, loses the last of them.
   */
  static toStderr(level: LogLevel): PinoLogger {
    const lines = new LineBuffer(STDERR);
    flushAtEnd(lines);
    const target = process.stderr.isTTY ? new TerminalLines(lines) : lines;
    return new PinoLogger(lineWriter(target, level), () => lines.flush());
  }

  debug(message: string, fields: object = {}): void {
    if (this.#pino.isLevelEnabled('debug'))
      this.#pino.debug(withoutSecrets(fields), withoutSecretWords(message));
  }

  info(message: string, fields: object = {}): void {
    if (this.#pino.isLevelEnabled('info'))
      this.#pino.info(withoutSecrets(fields), withoutSecretWords(message));
  }

  warn(message: string, fields: object = {}): void {
    if (!this.#pino.isLevelEnabled('warn')) return;
    this.#pino.warn(withoutSecrets(fields), withoutSecretWords(message));
    this.#flush();
  }

  error(message: string, fields: object = {}): void {
    if (!this.#pino.isLevelEnabled('error')) return;
    this.#pino.error(withoutSecrets(fields), withoutSecretWords(message));
    this.#flush();
  }

  child(fields: object): Logger {
    return new PinoLogger(this.#pino.child(withoutSecrets(fields)), this.#flush);
  }
}

const lineWriter = (target: DestinationStream, level: LogLevel): Pino =>
  pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: timeMember,
      formatters: { level: (label) => ({ level: label }) },
    },
    target,
  );

let millisecond = Number.NaN;
let member = '';

/** The time as a member of the line. Under load many lines share a millisecond, and the calendar is slow. */
function timeMember(): string {
  const now = Date.now();
  if (now !== millisecond) {
    millisecond = now;
    member = `,"time":"${new Date(now).toISOString()}"`;
  }
  return member;
}

function flushAtEnd(lines: LineBuffer): void {
  process.on('exit', () => lines.flushAtEnd());
  // Before Node prints the exception, so that standard error keeps the order of events.
  process.on('uncaughtExceptionMonitor', () => lines.flush());
  for (const signal of ENDING) {
    const ended = (): void => {
      lines.flush();
      if (process.listenerCount(signal) > 1) return;
      // No other code listens, and this listener must not keep the process alive.
      process.off(signal, ended);
      process.kill(process.pid, signal);
    };
    // First of all, while those who listen once are still on the list.
    process.prependListener(signal, ended);
  }
}
