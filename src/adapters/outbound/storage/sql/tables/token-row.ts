import { z } from 'zod';
import type { ApiToken, TokenGrant, TokenTerms } from '../../../../../domain/access/api-token.ts';
import { SCOPES } from '../../../../../domain/access/scope.ts';
import { NO_CALLS } from '../../../../../domain/access/token-calls.ts';
import {
  columns,
  flag,
  int,
  json,
  named,
  nullable,
  orElse,
  orNull,
  type Row,
  shortText,
  text,
} from './columns.ts';
import { Strings } from './json.ts';

const Calls = z.object({
  total: z.int(),
  hours: z.array(z.tuple([z.int(), z.int()]).readonly()).readonly(),
});
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
  calls: orElse(json(Calls), NO_CALLS),
  ...TERMS.shape,
});

export type TokenRow = Row<typeof TOKENS>;
export const toToken: (row: TokenRow) => ApiToken = TOKENS.read;
export const termsColumns = (terms: TokenTerms & TokenGrant): object =>
  TERMS.write({ ...terms, serversGrantedBy: terms.serversGrantedBy ?? null });
