import { type DestinationStream, destination, type Logger as Pino, pino, stdTimeFunctions } from 'pino';
import type { Logger } from '../../application/ports/logger.ts';
import { withoutSecrets, withoutSecretWords } from './redaction.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

const STDERR = 2;

/** One JSON object a line: `level`, `time` (ISO 8601, UTC), the fields, `message`. */
export class PinoLogger implements Logger {
  readonly #pino: Pino;

  private constructor(logger: Pino) {
    this.#pino = logger;
  }

  /** Written at once (not buffered), so that the last lines before a crash are there too. */
  static to(target: DestinationStream | 'stderr', level: LogLevel): PinoLogger {
    const stream = target === 'stderr' ? destination({ dest: STDERR, sync: true }) : target;
    return new PinoLogger(
      pino(
        {
          level,
          base: null,
          messageKey: 'message',
          timestamp: stdTimeFunctions.isoTime,
          formatters: { level: (label) => ({ level: label }) },
        },
        stream,
      ),
    );
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
    if (this.#pino.isLevelEnabled('warn'))
      this.#pino.warn(withoutSecrets(fields), withoutSecretWords(message));
  }

  error(message: string, fields: object = {}): void {
    if (this.#pino.isLevelEnabled('error'))
      this.#pino.error(withoutSecrets(fields), withoutSecretWords(message));
  }

  child(fields: object): Logger {
    return new PinoLogger(this.#pino.child(withoutSecrets(fields)));
  }
}
