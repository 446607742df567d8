import { z } from 'zod';
import type { ApiToken, TokenGrant, TokenTerms } from '../../../../../domain/access/api-token.ts';
import { SCOPES } from '../../../../../domain/access/scope.ts';
import { columns, flag, int, json, named, nullable, orNull, type Row, shortText, text } from './columns.ts';
import { Strings } from './json.ts';

const TERMS = columns({
  name: text,
  scopes: json(z.array(z.enum(SCOPES))),
  allowedCidrs: json(Strings),
  allowedServerIds: orNull(json(z.array(z.int()))),
  serversGrantedBy: nullable({
    label: named('servers_granted_by', shortText),
    userId: named('servers_granted_user_id', orNull(int)),
  }),
  requireApproval: flag,
  expiresAt: orNull(int),
});
export const TOKENS = columns({
  id: int,
  prefix: text,
  createdBy: text,
  createdAt: int,
  lastUsedAt: orNull(int),
  revokedAt: orNull(int),
  ...TERMS.shape,
});

export type TokenRow = Row<typeof TOKENS>;
export const toToken: (row: TokenRow) => ApiToken = TOKENS.read;
export const termsColumns = (terms: TokenTerms & TokenGrant): object =>
  TERMS.write({ ...terms, serversGrantedBy: terms.serversGrantedBy ?? null });
