import { ROLES, type Role } from '../../../../../domain/access/role.ts';
import type { User } from '../../../../../domain/access/user.ts';

export interface UserRow {
  readonly id: number;
  readonly name: string;
  readonly role: string;
  readonly password_hash: string | null;
  readonly totp_secret: string | null;
  readonly created_by: string;
  readonly created_at: number;
  readonly last_login_at: number | null;
  readonly disabled_at: number | null;
}

export const USER_COLUMNS = [
  'users.id',
  'users.name',
  'users.role',
  'users.password_hash',
  'users.totp_secret',
  'users.created_by',
  'users.created_at',
  'users.last_login_at',
  'users.disabled_at',
] as const satisfies readonly `users.${keyof UserRow}`[];

export const toUser = (row: UserRow): User => ({
  id: row.id,
  name: row.name,
  role: toRole(row.role),
  hasPassword: row.password_hash !== null,
  hasTotp: row.totp_secret !== null,
  createdBy: row.created_by,
  createdAt: row.created_at,
  lastLoginAt: row.last_login_at,
  disabledAt: row.disabled_at,
});

/** A role that this version does not know may do the least. */
const toRole = (raw: string): Role => ROLES.find((role) => role === raw) ?? 'viewer';
