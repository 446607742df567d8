import { CAPABILITIES, type Capability } from './scope.ts';

/**
 * The role of a user. A viewer reads; an operator also starts jobs, changes servers and works with files; an
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

/** Whether the first may do everything that the second may. */
export const covers = (role: Role, needed: Role): boolean => ROLES.indexOf(role) <= ROLES.indexOf(needed);

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

export function needsTwoFactor(rule: TwoFactorRule, role: Role): boolean {
  const lowest = LOWEST[rule];
  return lowest !== null && covers(role, lowest);
}
