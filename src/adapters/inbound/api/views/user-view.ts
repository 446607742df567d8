import * as z from 'zod';
import { ROLES } from '../../../../domain/access/role.ts';
import type { User } from '../../../../domain/access/user.ts';
import { toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { id, text, time, timeOrNull } from './values.ts';

export const userSchema = z.strictObject({
  id,
  name: text,
  role: z.enum(ROLES).nullable().describe('Role on all servers; null: none'),
  tag_roles: z
    .array(z.strictObject({ tag: text, role: z.enum(ROLES) }))
    .describe('Roles on servers with a tag'),
  has_password: z.boolean().describe('false until the user accepts the invitation'),
  sso_issuer: z
    .string()
    .nullable()
    .describe('Issuer of the provider that the user signs in with; null for a local account'),
  has_totp: z.boolean().describe('Whether an authenticator app is set up'),
  passkeys: z.number().int().describe('Number of passkeys'),
  created_by: text,
  created_at: time,
  last_login_at: timeOrNull,
  disabled_at: timeOrNull,
});

export const userView = (user: User): z.output<typeof userSchema> => ({
  id: user.id,
  name: user.name,
  role: user.role,
  tag_roles: user.tagRoles.map(({ tag, role }) => ({ tag, role })),
  has_password: user.hasPassword,
  sso_issuer: user.issuer,
  has_totp: user.hasTotp,
  passkeys: user.passkeys,
  created_by: user.createdBy,
  created_at: toIso(user.createdAt),
  last_login_at: toIsoOrNull(user.lastLoginAt),
  disabled_at: toIsoOrNull(user.disabledAt),
});
