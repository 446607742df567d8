import type { Logger } from '../../src/application/ports/base/logger.ts';

export interface RecordedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: { readonly [name: string]: unknown };
}

/** Keeps every line, its children's too. */
export class RecordingLogger implements Logger {
  readonly lines: RecordedLine[];
  readonly #fields: object;

  constructor(lines: RecordedLine[] = [], fields: object = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  debug(message: string, fields: object = {}): void {
    this.#record('debug', message, fields);
  }

  info(message: string, fields: object = {}): void {
    this.#record('info', message, fields);
  }

  warn(message: string, fields: object = {}): void {
    this.#record('warn', message, fields);
  }

  error(message: string, fields: object = {}): void {
    this.#record('error', message, fields);
  }

  child(fields: object): RecordingLogger {
    return new RecordingLogger(this.lines, { ...this.#fields, ...fields });
  }

  /** The messages of one level, oldest first. */
  messages(level: RecordedLine['level']): readonly string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message);
  }

  #record(level: RecordedLine['level'], message: string, fields: object): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
