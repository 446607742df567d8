import { CAPABILITIES, type Capability } from './scope.ts';

/**
 * What a person may do. A viewer reads; an operator also starts jobs, changes servers and works with files; an
 * administrator also decides over people, tokens and the settings of the service.
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

/** Whether the one may do all that the other may. */
export const covers = (role: Role, needed: Role): boolean => ROLES.indexOf(role) <= ROLES.indexOf(needed);
