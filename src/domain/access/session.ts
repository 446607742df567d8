import { DAY, HOUR, type Instant, MINUTE } from '../base/instant.ts';

/** A signed-in browser. Its secret is only in the cookie; the database has its hash. */
export interface Session {
  readonly id: number;
  readonly userId: number;
  /** `code`: the password was right, the one-time code is missing; the session only allows that step. */
  readonly stage: 'code' | 'full';
  readonly createdAt: Instant;
  /** Accurate to a minute. */
  readonly seenAt: Instant;
  /** When the password was last given. */
  readonly confirmedAt: Instant;
  readonly address: string;
  /** The browser's user agent, truncated. */
  readonly agent: string;
  /** The browser, as it is recognised at its next sign-in; null if it is not. */
  readonly deviceId: number | null;
  /** The provider of single sign-on that it was opened with; null: a password. */
  readonly provider: string | null;
  /** The provider asked for two factors. */
  readonly hasTwoFactors: boolean;
}

export type NewSession = Omit<Session, 'id'>;

/** Idle timeout. */
export const SESSION_IDLE = 12 * HOUR;
/** Absolute timeout. */
export const SESSION_LONGEST = 7 * DAY;
/** How long the one-time code may take. */
const CODE_WAIT = 5 * MINUTE;
/** How long a password confirmation is valid. */
const CONFIRMED_FOR = 10 * MINUTE;
/** The clocks of two replicas may differ by this much. */
const MAX_SKEW = 5 * MINUTE;
export const MAX_AGENT_LENGTH = 200;

/** Written by a clock that was ahead: it proves nothing now. */
const isFromAhead = (at: Instant, now: Instant): boolean => at - now > MAX_SKEW;

export function isAlive(session: Session, now: Instant): boolean {
  if (isFromAhead(Math.max(session.seenAt, session.createdAt), now)) return false;
  if (session.stage === 'code') return now < session.createdAt + CODE_WAIT;
  return now < session.seenAt + SESSION_IDLE && now < session.createdAt + SESSION_LONGEST;
}

export const isConfirmed = ({ stage, confirmedAt }: Session, now: Instant): boolean =>
  stage === 'full' && now < confirmedAt + CONFIRMED_FOR && !isFromAhead(confirmedAt, now);

/** Whether the use is worth writing down: a write a minute at most. */
export const isUseWorthKeeping = (session: Session, now: Instant): boolean => now >= session.seenAt + MINUTE;
