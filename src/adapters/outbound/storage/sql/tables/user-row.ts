import * as z from 'zod';
import { ROLES, type Role, type TagRole } from '../../../../../domain/access/role.ts';
import { NO_ROLE, type User } from '../../../../../domain/access/user.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { type Column, columns, int, listOrNull, named, orNull, type Row, text } from './columns.ts';

/** A role that this version does not know may do the least; older replicas do not know `none`. */
const role: Column<Role | null, string> = {
  read: (raw) => (raw === NO_ROLE ? null : (ROLES.find((each) => each === raw) ?? 'viewer')),
  write: (value) => value ?? NO_ROLE,
};

/**
 * A user without a role on all servers has this in place of NULL: to older replicas, which would show them every
 * server, the account is disabled.
 */
export const DISABLED_FOR_OLDER = 0;

const disabledAt: Column<Instant | null, number | null> = {
  read: (raw) => (raw === DISABLED_FOR_OLDER ? null : raw),
  write: (value) => value,
  takesNull: true,
};

const TagRoles: z.ZodType<readonly TagRole[]> = z.array(z.object({ tag: z.string(), role: z.enum(ROLES) }));

export const USERS = columns({
  id: int,
  name: text,
  role,
  passwordHash: orNull(text),
  totpSecret: orNull(text),
  createdBy: text,
  createdAt: int,
  lastLoginAt: orNull(int),
  disabledAt,
  issuer: named('sso_issuer', orNull(text)),
  passkeys: int,
  tagRoles: listOrNull(TagRoles),
  subject: named('sso_subject', orNull(text)),
});

export type UserRow = Row<typeof USERS>;

export const USER_COLUMNS = USERS.names.map((name) => `users.${name}`);

/** Without the roles on servers: see `usersOf`. */
export function toUser(row: UserRow): User {
  const { passwordHash, totpSecret, subject: _, ...user } = USERS.read(row);
  return {
    ...user,
    serverRoles: new Map(),
    hasPassword: passwordHash !== null,
    hasTotp: totpSecret !== null,
  };
}
