import { inspect } from 'node:util';

const HIDDEN = '[hidden]';

/** A configured secret. It is shown only on an explicit call, never in a log line or an error's text. */
export class SecretValue {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
