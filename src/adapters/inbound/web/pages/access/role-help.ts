import type { Role } from '../../../../../domain/access/role.ts';

/** What each role may do. */
export const ROLE_HELP: Readonly<Record<Role, string>> = {
  administrator: 'Also manages users, API tokens and settings.',
  operator: 'Also starts jobs, changes servers and works with files.',
  viewer: 'Read-only access to everything.',
};
