import { CAPABILITIES, type Capability } from './scope.ts';

/**
 * The role of a user, on all servers or on those with a tag. A viewer reads; an operator also starts jobs, changes servers and works with files; an
 * administrator also manages users, tokens and settings.
 */
export const ROLES = ['administrator', 'operator', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const isRole = (raw: string): raw is Role => (ROLES as readonly string[]).includes(raw);

const GRANTS: Readonly<Record<Role, readonly Capability[]>> = {
  administrator: CAPABILITIES,
  operator: CAPABILITIES,
  viewer: ['read'],
};

export const capabilitiesOf = (role: Role): ReadonlySet<Capability> => new Set(GRANTS[role]);

/** Whether the first, if there is one, may do everything that the second may. */
export const covers = (role: Role | null, needed: Role): boolean =>
  role !== null && ROLES.indexOf(role) <= ROLES.indexOf(needed);

/** A role on the servers that have a tag. */
export interface TagRole {
  readonly tag: string;
  readonly role: Role;
}

/** What a user may do where. */
export interface Roles {
  /** On all servers; `null`: none. */
  readonly role: Role | null;
  readonly tagRoles: readonly TagRole[];
}

/** `null`: none of them. */
export const highestRole = (roles: readonly (Role | null)[]): Role | null =>
  ROLES.find((role) => roles.includes(role)) ?? null;

/** Which accounts need two-factor authentication. */
export const TWO_FACTOR_RULES = ['none', 'administrators', 'operators', 'everyone'] as const;
export type TwoFactorRule = (typeof TWO_FACTOR_RULES)[number];

/** The lowest role that each rule covers, and with it every higher one. */
const LOWEST: Readonly<Record<TwoFactorRule, Role | null>> = {
  none: null,
  administrators: 'administrator',
  operators: 'operator',
  everyone: 'viewer',
};

export const isTwoFactorRule = (raw: string): raw is TwoFactorRule =>
  (TWO_FACTOR_RULES as readonly string[]).includes(raw);

/** `role`: the highest, wherever it applies. */
export function needsTwoFactor(rule: TwoFactorRule, role: Role | null): boolean {
  const lowest = LOWEST[rule];
  return lowest !== null && covers(role, lowest);
}
