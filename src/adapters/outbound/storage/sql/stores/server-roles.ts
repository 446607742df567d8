import type { Knex } from 'knex';
import type { Role, TagRole } from '../../../../../domain/access/role.ts';
import type { User } from '../../../../../domain/access/user.ts';
import { roleByTags } from '../../../../../domain/access/user-roles.ts';
import { fromJson, Strings } from '../tables/columns.ts';
import { toUser, type UserRow } from '../tables/user-row.ts';

/** Beyond it, all servers are read: SQLite takes no expression of more than 1,000 levels. */
const MAX_ASKED = 200;

interface ServerTags {
  readonly id: number;
  readonly tags: string;
}

/** Users with their roles on servers. Only users who have roles on tags cost a query, and all of them together one. */
export async function usersOf(knex: Knex, rows: readonly UserRow[]): Promise<readonly User[]> {
  const users = rows.map(toUser);
  const tags = [...new Set(users.flatMap(({ tagRoles }) => tagRoles.map(({ tag }) => tag)))];
  if (tags.length === 0) return users;
  const servers = await serversWith(knex, tags);
  return users.map((user) => ({ ...user, serverRoles: rolesOn(servers, user.tagRoles) }));
}

export const userOf = async (knex: Knex, row: UserRow): Promise<User> =>
  (await usersOf(knex, [row]))[0] ?? toUser(row);

/** Removed servers, too: their jobs and snapshots are still there. */
async function serversWith(
  knex: Knex,
  tags: readonly string[],
): Promise<readonly { readonly id: number; readonly tags: readonly string[] }[]> {
  const rows: ServerTags[] = await knex('servers')
    .where((any) => {
      if (tags.length > MAX_ASKED) return;
      // Tags are stored as JSON, and contain no quotes: a quoted tag matches exactly.
      for (const tag of tags) void any.orWhereRaw('INSTR(tags, ?) > 0', [JSON.stringify(tag)]);
    })
    .select('id', 'tags');
  return rows.map((row) => ({ id: row.id, tags: fromJson(Strings, row.tags) }));
}

const rolesOn = (
  servers: readonly { readonly id: number; readonly tags: readonly string[] }[],
  tagRoles: readonly TagRole[],
): ReadonlyMap<number, Role> =>
  new Map(
    servers.flatMap(({ id, tags }) => {
      const role = roleByTags(tagRoles, tags);
      return role === null ? [] : [[id, role] as const];
    }),
  );
