import { covers, type Role } from './role.ts';

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
