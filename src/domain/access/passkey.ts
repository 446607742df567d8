import { DomainError, InvalidInput } from '../base/errors.ts';
import { type Instant, MINUTE } from '../base/instant.ts';

/** A key pair in a user's device or security key (WebAuthn Level 3). Drover has its public half. */
export interface Passkey {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  /** Its name at the authenticator, in base64url; unique. */
  readonly credentialId: string;
  /** A COSE key, in base64url. */
  readonly publicKey: string;
  /** The relying party that it belongs to: the host name by which users open Drover. */
  readonly rpId: string;
  /** How many times it was used; 0 with authenticators that do not count. */
  readonly counter: number;
  /** How browsers reach it, as they said: `usb`, `internal`. */
  readonly transports: readonly string[];
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
}

export type NewPasskey = Omit<Passkey, 'id' | 'lastUsedAt'>;

export const MAX_PASSKEYS = 10;
const MAX_PASSKEY_NAME = 60;
/** EdDSA, ES256 and RS256, as COSE numbers them. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257] as const;
/** How long a challenge can be answered. */
export const CHALLENGE_LIFE = 5 * MINUTE;
/** Unanswered challenges of all users: they cannot fill the database. */
export const MAX_CHALLENGES = 10_000;

/** What an answer to a challenge is for: an answer for one purpose never counts for another. */
export type PasskeyPurpose = 'register' | 'sign_in' | 'code' | 'confirm';

/** The site that a passkey belongs to: `origin` is the address of its pages, `id` the host name in it. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/**
 * The public address decides if it is set, otherwise the address of the request, whose host the service accepts.
 * Null if browsers offer no passkeys there: at an IP address, and over plain HTTP beyond this machine.
 */
export function relyingParty(publicUrl: string | null, requestOrigin: string): RelyingParty | null {
  if (publicUrl === null && !URL.canParse(requestOrigin)) return null;
  const { origin, hostname, protocol } = new URL(publicUrl ?? requestOrigin);
  if (IPV4.test(hostname) || hostname.startsWith('[')) return null;
  return protocol === 'https:' || hostname === 'localhost' ? { id: hostname, origin } : null;
}

/** Trimmed. Throws `invalid_input`. */
export function passkeyName(raw: string): string {
  const name = raw.trim();
  const length = Array.from(name).length;
  if (length > 0 && length <= MAX_PASSKEY_NAME) return name;
  const message = `A name has 1 to ${MAX_PASSKEY_NAME} characters.`;
  throw new InvalidInput([{ path: '/name', message }]);
}

/** Of a clone, the counter is behind. Authenticators that do not count always send 0. */
export const isCounterAhead = (kept: number, given: number): boolean =>
  given > kept || (given === 0 && kept === 0);

/** Why an answer was refused, as the audit log has it, and what users read. */
export const PASSKEY_REASONS = {
  unavailable: 'Passkeys work only at a host name over HTTPS',
  throttled: 'There are too many unfinished sign-ins',
  answer_invalid: "The browser's answer is malformed",
  challenge_unknown: 'This request was already used, took too long, or was started in a different browser',
  origin_differs: 'The answer was made for a different site',
  passkey_unknown: 'Drover does not know this passkey; it may have been removed',
  passkey_known: 'This passkey is registered already',
  signature_invalid: "The passkey's signature is invalid",
  user_not_verified:
    'The device did not check who you are: use one with a PIN, fingerprint or face recognition',
  counter_went_back: 'This passkey was used elsewhere since: it may have been copied. Remove it',
  account_disabled: 'Your account is disabled',
  provider_decides: 'Sign in with your provider: you cannot use a passkey instead',
} as const;
export type PasskeyReason = keyof typeof PASSKEY_REASONS;

/** A refused answer: `passkey_cloned` if the counter went back, otherwise `passkey_refused`. */
export class PasskeyRefusal extends DomainError {
  declare readonly code: 'passkey_refused' | 'passkey_cloned';
  readonly reason: PasskeyReason;

  constructor(reason: PasskeyReason, options: { cause?: unknown } = {}) {
    const code = reason === 'counter_went_back' ? 'passkey_cloned' : 'passkey_refused';
    super(code, `${PASSKEY_REASONS[reason]}.`, options);
    this.reason = reason;
  }
}

export const passkeyNotFound = (): DomainError =>
  new DomainError('passkey_not_found', 'There is no such passkey.');
