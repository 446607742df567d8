import type { Actor } from '../../domain/access/actor.ts';
import type { UserStore } from '../ports/access/user-store.ts';

/**
 * Tags decide which servers a user's roles apply to: changing one is for operators of all servers, and for
 * administrators if any user has a role by it. Throws `role_missing`.
 */
export async function requireTagChange(
  users: Pick<UserStore, 'grantedTags'>,
  actor: Actor,
  changed: readonly string[],
): Promise<void> {
  if (changed.length === 0) return;
  actor.requireRole('operator');
  const granted = await users.grantedTags();
  if (changed.some((tag) => granted.has(tag))) actor.requireRole('administrator');
}
