import type { NewPasskey, Passkey, PasskeyPurpose } from '../../../domain/access/passkey.ts';
import type { User } from '../../../domain/access/user.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/** A challenge that waits for its answer. */
export interface PasskeyChallenge {
  readonly purpose: PasskeyPurpose;
  /** The session or the browser that may answer it. */
  readonly boundTo: string;
  readonly startedAt: Instant;
}

/** Users' passkeys, and the challenges that wait for their answers. */
export interface PasskeyStore {
  /** Throws `passkey_refused` if it is registered, also for another user; `invalid_input` if the user has `most`. */
  add(passkey: NewPasskey, most: number, record: (passkey: Passkey) => ChangeRecord): Promise<Passkey>;
  /** A user's, in the order in which they were added. */
  list(userId: number): Promise<readonly Passkey[]>;
  find(credentialId: string): Promise<{ readonly passkey: Passkey; readonly user: User } | null>;
  /** Writes the counter and the time of use; false, and nothing, if another use moved the counter past it. */
  use(id: number, counter: number, at: Instant): Promise<boolean>;
  /** Throws `passkey_not_found`. */
  rename(userId: number, id: number, name: string, record: ChangeRecord): Promise<void>;
  /** The recovery codes go if that turns off two-factor authentication. Throws `passkey_not_found`. */
  remove(userId: number, id: number, record: ChangeRecord): Promise<void>;

  /** Keeps a challenge by its SHA-256, in place of an earlier one so bound; false if there are `most` already. */
  addChallenge(hash: string, challenge: PasskeyChallenge, most: number): Promise<boolean>;
  /** Ends it. True once, and only if it is bound so and not older; of several concurrent calls one gets it. */
  takeChallenge(hash: string, challenge: PasskeyChallenge): Promise<boolean>;
  /** Deletes those that started before, up to a limit. Returns how many. */
  forgetChallengesBefore(at: Instant, most: number): Promise<number>;
}
