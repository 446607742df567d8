/**
 * Why a call to the service brought no answer of the service's own. These codes are the adapter's: the service itself
 * never sends them.
 */
export type FailureCode =
  | 'service_unreachable'
  | 'service_timeout'
  | 'service_not_trusted'
  | 'reply_not_understood'
  | 'reply_too_large'
  | 'cancelled';

/** The status that a proxy would answer in the same situation. */
const STATUS = {
  service_unreachable: 503,
  service_timeout: 504,
  service_not_trusted: 502,
  reply_not_understood: 502,
  reply_too_large: 502,
  cancelled: 499,
} as const satisfies Record<FailureCode, number>;

/** The message is one sentence for agents and people, and never holds the token. */
export class CallFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, detail: string) {
    super(detail);
    this.code = code;
  }

  get status(): number {
    return STATUS[this.code];
  }
}
