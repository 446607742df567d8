import type { UserStore } from '../../src/application/ports/access/user-store.ts';
import type { Actor } from '../../src/domain/access/actor.ts';
import { ROLES, type Role } from '../../src/domain/access/role.ts';
import { actorOfUser } from '../../src/domain/access/user.ts';

/** A user of each role, named like it, who exists: an approval counts as its user is when it is given. */
export async function reviewers(
  users: Pick<UserStore, 'add'>,
  address: string | null = null,
): Promise<(role: Role) => Actor> {
  const made = new Map<Role, Actor>();
  for (const role of ROLES) {
    const user = await users.add({ name: role, role, createdBy: 'x', createdAt: 0 }, () => ({}));
    made.set(role, actorOfUser(user, address));
  }
  return (role) => made.get(role) as Actor;
}
