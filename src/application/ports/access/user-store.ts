import type { Role, TagRole } from '../../../domain/access/role.ts';
import type { SsoIdentity } from '../../../domain/access/sso-identity.ts';
import type { NewUser, User } from '../../../domain/access/user.ts';
import type { Schedule } from '../../../domain/automation/schedule.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { UserOrder } from '../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { OwnerChange } from '../automation/schedule-store.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/** A user's credentials. Kept apart from `User`, so that they are never shown by accident. */
export interface Credentials {
  /** From `PasswordHasher`; null until the invitation was accepted. */
  readonly passwordHash: string | null;
  /** Encrypted; null without two-factor authentication. */
  readonly totpSecret: string | null;
}

/** Changes of one user; absent fields stay. */
export interface UserChange {
  readonly role?: Role | null;
  /** From those at the time of the change, which it reads in its transaction. */
  readonly tagRoles?: (before: readonly TagRole[]) => readonly TagRole[];
  readonly passwordHash?: string;
  readonly totpSecret?: string | null;
  /** 0 removes them all. */
  readonly passkeys?: 0;
  readonly disabledAt?: Instant | null;
  /** At a provider; null: none from now on. Throws `name_taken` if the user has one, or another user has it. */
  readonly identity?: Pick<SsoIdentity, 'issuer' | 'subject'> | null;
}

/** A link to set a password: for the user, or for the first administrator if there is none. */
export interface AccountLink {
  readonly userId: number | null;
  readonly expiresAt: Instant;
}

/** The effect of a user's change on their schedules. */
export interface OwnedByUser {
  readonly at: Instant;
  readonly change: (user: User) => OwnerChange;
}

/** People with accounts, and the one-time links by which they come to a password. */
export interface UserStore {
  /** Throws `name_taken`, also if its identity has an account. */
  add(user: NewUser, record: (user: User) => ChangeRecord): Promise<User>;
  /**
   * Creates the first administrator and ends every set-up link, in one step. Throws `link_invalid` if the link is
   * unknown or expired, or there is an administrator already; of several concurrent calls one succeeds.
   */
  addFirst(
    user: NewUser,
    proof: { linkHash: string; passwordHash: string; at: Instant },
    record: (user: User) => ChangeRecord,
  ): Promise<User>;
  find(id: number): Promise<User | null>;
  /** With credentials. */
  findByName(name: string): Promise<{ readonly user: User; readonly credentials: Credentials } | null>;
  /** The account that is bound to this subject of this issuer. */
  findByIdentity(identity: Pick<SsoIdentity, 'issuer' | 'subject'>): Promise<User | null>;
  /** By name unless another order is given. */
  list(page: PageRequest, order?: UserOrder): Promise<Page<User>>;
  /** The tags by which any user has a role. */
  grantedTags(): Promise<ReadonlySet<string>>;
  /** Whether any administrator can sign in. */
  hasAdministrator(): Promise<boolean>;
  /**
   * Throws `user_not_found`; `last_administrator` if no administrator could sign in afterwards. `owned`: changes the
   * user's schedules too, as in `TokenStore.revoke`.
   */
  change(
    id: number,
    change: UserChange,
    record: (user: User, switchedOff: readonly Schedule[]) => ChangeRecord,
    owned?: OwnedByUser,
  ): Promise<User>;
  /** Writes the last sign-in. Never moves it back. */
  touch(id: number, at: Instant): Promise<void>;

  /** Records the time step of a one-time code; false if that step or a later one was used before. */
  useTotpStep(id: number, step: number): Promise<boolean>;
  /** Replaces all recovery codes, given as SHA-256. */
  setRecoveryCodes(id: number, hashes: readonly string[], record: ChangeRecord): Promise<void>;
  /** Uses one up; false if there is none. */
  useRecoveryCode(id: number, hash: string): Promise<boolean>;
  countRecoveryCodes(id: number): Promise<number>;

  /** Keeps a link by its SHA-256; the user's earlier ones are void. */
  addLink(linkHash: string, link: AccountLink, record: ChangeRecord): Promise<void>;
  findLink(linkHash: string): Promise<AccountLink | null>;
  /**
   * Sets the user's password and ends their links, in one step. Throws `link_invalid` if it is unknown or expired.
   */
  useLink(
    proof: { linkHash: string; passwordHash: string; at: Instant },
    record: (user: User) => ChangeRecord,
  ): Promise<User>;
}
