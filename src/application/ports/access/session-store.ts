import type { NewSession, Session } from '../../../domain/access/session.ts';
import type { User } from '../../../domain/access/user.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/** Signed-in browsers, found by the SHA-256 of their secret. */
export interface SessionStore {
  add(session: NewSession, secretHash: string, record: (session: Session) => ChangeRecord): Promise<Session>;
  /** Also one that is over; with the user as they are now. */
  findByHash(secretHash: string): Promise<{ readonly session: Session; readonly user: User } | null>;
  /** Never moves it back. */
  touch(id: number, at: Instant): Promise<void>;
  /** The password was given again. */
  confirm(id: number, at: Instant, secretHash: string): Promise<void>;
  /** Those of one user, latest use first; at most 100. */
  list(userId: number): Promise<readonly Session[]>;
  /** Ends one session of the user; false if there is none. */
  remove(userId: number, id: number, record: ChangeRecord): Promise<boolean>;
  /** Ends all of the user's, but the one. Returns how many. */
  removeAll(userId: number, except: number | null): Promise<number>;
  /** Deletes sessions not used since; at most this many at a time. Returns how many. */
  forgetUnusedSince(at: Instant, most: number): Promise<number>;
}
