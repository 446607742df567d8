import { z } from 'zod';
import type { ApiToken, TokenGrant, TokenTerms } from '../../../../../domain/access/api-token.ts';
import { SCOPES } from '../../../../../domain/access/scope.ts';
import { fromJson, Strings } from './json.ts';

export interface TokenRow {
  readonly id: number;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: string;
  readonly allowed_cidrs: string;
  readonly allowed_server_ids: string | null;
  readonly servers_granted_by: string | null;
  readonly servers_granted_user_id: number | null;
  readonly require_approval: number;
  readonly created_by: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

export const TOKEN_COLUMNS = [
  'id',
  'name',
  'prefix',
  'scopes',
  'allowed_cidrs',
  'allowed_server_ids',
  'servers_granted_by',
  'servers_granted_user_id',
  'require_approval',
  'created_by',
  'created_at',
  'last_used_at',
  'expires_at',
  'revoked_at',
] as const satisfies readonly (keyof TokenRow)[];

const Scopes = z.array(z.enum(SCOPES));
const Ids = z.array(z.int());

export const toToken = (row: TokenRow): ApiToken => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: fromJson(Scopes, row.scopes),
  allowedCidrs: fromJson(Strings, row.allowed_cidrs),
  allowedServerIds: row.allowed_server_ids === null ? null : fromJson(Ids, row.allowed_server_ids),
  serversGrantedBy:
    row.servers_granted_by === null
      ? null
      : { label: row.servers_granted_by, userId: row.servers_granted_user_id },
  requireApproval: row.require_approval === 1,
  createdBy: row.created_by,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});

export const termsColumns = (terms: TokenTerms & TokenGrant): object => ({
  name: terms.name,
  scopes: JSON.stringify(terms.scopes),
  allowed_cidrs: JSON.stringify(terms.allowedCidrs),
  allowed_server_ids: terms.allowedServerIds === null ? null : JSON.stringify(terms.allowedServerIds),
  servers_granted_by: terms.serversGrantedBy?.label.slice(0, 255) ?? null,
  servers_granted_user_id: terms.serversGrantedBy?.userId ?? null,
  require_approval: Number(terms.requireApproval),
  expires_at: terms.expiresAt,
});
