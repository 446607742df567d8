import { DomainError, type InputProblem } from '../base/errors.ts';
import type { Instant } from '../base/instant.ts';
import { Actor } from './actor.ts';
import { capabilitiesOf, isRole, ROLES, type Role, type TagRole } from './role.ts';
import type { Capability } from './scope.ts';
import type { SsoIdentity } from './sso-identity.ts';

/** A user account, without its credentials. */
export interface User {
  readonly id: number;
  /** Unique, in lower case. */
  readonly name: string;
  /** On all servers; `null`: none, and only `tagRoles` count. */
  readonly role: Role | null;
  readonly tagRoles: readonly TagRole[];
  /** The servers that have a tag of `tagRoles` now, with the highest role. */
  readonly serverRoles: ReadonlyMap<number, Role>;
  /** False until the invitation was accepted. */
  readonly hasPassword: boolean;
  readonly hasTotp: boolean;
  /** How many. */
  readonly passkeys: number;
  /** Of the provider that it signs in with; null for a local account. */
  readonly issuer: string | null;
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly lastLoginAt: Instant | null;
  /** May not sign in from then on. */
  readonly disabledAt: Instant | null;
}

export type NewUser = Pick<User, 'name' | 'role' | 'createdBy' | 'createdAt'> & {
  readonly tagRoles?: readonly TagRole[];
  /** At a provider of single sign-on; absent for a local account. */
  readonly identity?: Pick<SsoIdentity, 'issuer' | 'subject'>;
};

const NAME = /^[a-z0-9][a-z0-9._@+-]{0,63}$/;

/** In characters. NIST SP 800-63B asks for at least 8, OWASP's ASVS for 12. */
export const MIN_PASSWORD_LENGTH = 12;
/** In UTF-8 bytes, so that no request makes the service hash a megabyte. */
export const MAX_PASSWORD_LENGTH = 1024;

/** Lower case, for comparison. Adds to the problems if it is not a valid name. */
export function userName(raw: string, problems: InputProblem[]): string {
  const name = raw.trim().toLowerCase();
  if (!NAME.test(name)) {
    problems.push({
      path: '/name',
      message:
        'A name has 1 to 64 characters: letters, digits and . _ @ + -. It starts with a letter or digit.',
    });
  }
  return name;
}

/** As it is entered and shown if a user has no role on all servers. */
export const NO_ROLE = 'none';
export const USER_ROLES = [...ROLES, NO_ROLE] as const;

export function userRole(raw: string, problems: InputProblem[]): Role | null {
  if (isRole(raw)) return raw;
  if (raw !== NO_ROLE)
    problems.push({ path: '/role', message: `A role is one of ${USER_ROLES.join(', ')}.` });
  return null;
}

/** Formal faults of a password; whether it is easily guessed is checked elsewhere. */
export function passwordProblem(password: string, name: string): string | null {
  if (Array.from(password).length < MIN_PASSWORD_LENGTH)
    return `A password has at least ${MIN_PASSWORD_LENGTH} characters.`;
  if (new TextEncoder().encode(password).length > MAX_PASSWORD_LENGTH) {
    return `A password has at most ${MAX_PASSWORD_LENGTH} bytes.`;
  }
  const plain = password.toLowerCase();
  if (name.length >= 4 && plain.replaceAll(name, '').length < 8)
    return 'The password is too similar to the name.';
  return null;
}

/** Whether a password alone is not enough to sign in. */
export const hasSecondFactor = ({ hasTotp, passkeys }: Pick<User, 'hasTotp' | 'passkeys'>): boolean =>
  hasTotp || passkeys > 0;

export const isActive = (user: Pick<User, 'disabledAt'>): boolean => user.disabledAt === null;

/** The user as use cases see them. `passwordConfirmed`: see `Actor`. */
export const actorOfUser = (user: User, address: string | null, passwordConfirmed = false): Actor =>
  new Actor({
    kind: 'user',
    id: user.id,
    name: user.name,
    address,
    capabilities: user.role === null ? readingWith(user.tagRoles) : capabilitiesOf(user.role),
    features: null,
    serverIds: user.role === null ? new Set(user.serverRoles.keys()) : null,
    requireApproval: false,
    role: user.role,
    tagRoles: user.tagRoles,
    serverRoles: user.serverRoles,
    passwordConfirmed,
  });

/** Every role reads; what a user may see is limited by servers. */
const readingWith = (tagRoles: readonly TagRole[]): ReadonlySet<Capability> =>
  new Set<Capability>(tagRoles.length > 0 ? ['read'] : []);

export const userNotFound = (name: string): DomainError =>
  new DomainError('user_not_found', `There is no user ${name}.`);
