import type { USER_ROLES } from '../../../../../domain/access/user.ts';

/** What each role may do. */
export const ROLE_HELP: Readonly<Record<(typeof USER_ROLES)[number], string>> = {
  administrator: 'Also manages users, API tokens and settings.',
  operator: 'Also starts jobs, changes servers and works with files.',
  viewer: 'Read-only access to everything.',
  none: 'Only what roles by tag allow, if there are any.',
};
