import type { Role } from '../../../domain/access/role.ts';
import type { NewUser, User } from '../../../domain/access/user.ts';
import type { Schedule } from '../../../domain/automation/schedule.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { OwnerChange } from '../automation/schedule-store.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/** What proves who a person is. Kept apart from `User`, so that it is never shown by accident. */
export interface Credentials {
  /** As `PasswordHasher` made it; null until the invitation was taken up. */
  readonly passwordHash: string | null;
  /** Sealed; null without a second factor. */
  readonly totpSecret: string | null;
}

/** Changes of one user; what is left out stays. */
export interface UserChange {
  readonly role?: Role;
  readonly passwordHash?: string;
  readonly totpSecret?: string | null;
  readonly disabledAt?: Instant | null;
}

/** A link by which somebody sets a password: of the user, or of the first administrator where there is none. */
export interface AccountLink {
  readonly userId: number | null;
  readonly expiresAt: Instant;
}

/** What a change of a user does to the schedules that they own. */
export interface OwnedByUser {
  readonly at: Instant;
  readonly change: (user: User) => OwnerChange;
}

/** People with accounts, and the one-time links by which they come to a password. */
export interface UserStore {
  /** Throws `name_taken`. */
  add(user: NewUser, record: (user: User) => ChangeRecord): Promise<User>;
  /**
   * Makes the first administrator and ends every set-up link, in one step. Throws `link_invalid` where the link is not
   * there, is over, or there is an administrator already; of several at once one gets through.
   */
  addFirst(
    user: NewUser,
    proof: { linkHash: string; passwordHash: string; at: Instant },
    record: (user: User) => ChangeRecord,
  ): Promise<User>;
  find(id: number): Promise<User | null>;
  /** With what proves who they are. */
  findByName(name: string): Promise<{ readonly user: User; readonly credentials: Credentials } | null>;
  /** By name. */
  list(page: PageRequest): Promise<Page<User>>;
  /** Whether anybody can sign in as administrator. */
  hasAdministrator(): Promise<boolean>;
  /**
   * Throws `user_not_found`; `last_administrator` where nobody could sign in as administrator afterwards. `owned`: the
   * user's schedules change with them, as with `TokenStore.revoke`.
   */
  change(
    id: number,
    change: UserChange,
    record: (user: User, switchedOff: readonly Schedule[]) => ChangeRecord,
    owned?: OwnedByUser,
  ): Promise<User>;
  /** Writes the last sign-in. Never moves it back. */
  touch(id: number, at: Instant): Promise<void>;

  /** Remembers the time step of a one-time code; false where that step or a later one was used before. */
  useTotpStep(id: number, step: number): Promise<boolean>;
  /** Replaces all recovery codes, given as SHA-256. */
  setRecoveryCodes(id: number, hashes: readonly string[], record: ChangeRecord): Promise<void>;
  /** Uses one up; false where there is none such. */
  useRecoveryCode(id: number, hash: string): Promise<boolean>;
  countRecoveryCodes(id: number): Promise<number>;

  /** Keeps a link by its SHA-256; the user's earlier ones are void. */
  addLink(linkHash: string, link: AccountLink, record: ChangeRecord): Promise<void>;
  findLink(linkHash: string): Promise<AccountLink | null>;
  /** Sets the user's password and ends their links, in one step. Throws `link_invalid` where it is not there or over. */
  useLink(
    proof: { linkHash: string; passwordHash: string; at: Instant },
    record: (user: User) => ChangeRecord,
  ): Promise<User>;
}
