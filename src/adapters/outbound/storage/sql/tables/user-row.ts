import { ROLES, type Role } from '../../../../../domain/access/role.ts';
import type { User } from '../../../../../domain/access/user.ts';
import { type Column, columns, int, named, orNull, type Row, text } from './columns.ts';

/** A role that this version does not know may do the least. */
const role: Column<Role, string> = {
  read: (raw) => ROLES.find((each) => each === raw) ?? 'viewer',
  write: (value) => value,
};

export const USERS = columns({
  id: int,
  name: text,
  role,
  passwordHash: orNull(text),
  totpSecret: orNull(text),
  createdBy: text,
  createdAt: int,
  lastLoginAt: orNull(int),
  disabledAt: orNull(int),
  issuer: named('sso_issuer', orNull(text)),
  passkeys: int,
  subject: named('sso_subject', orNull(text)),
});

export type UserRow = Row<typeof USERS>;

export const USER_COLUMNS = USERS.names.map((name) => `users.${name}`);

export function toUser(row: UserRow): User {
  const { passwordHash, totpSecret, subject: _, ...user } = USERS.read(row);
  return { ...user, hasPassword: passwordHash !== null, hasTotp: totpSecret !== null };
}
