/** Structured log lines for the operator. Fields are plain JSON; secrets never go in. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
  /** A logger that adds these fields to each of its lines. */
  child(fields: object): Logger;
}
