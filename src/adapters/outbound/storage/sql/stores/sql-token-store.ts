import type { Knex } from 'knex';
import { z } from 'zod';
import type { OwnedByToken, TokenStore } from '../../../../../application/ports/access/token-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { ApiToken, TokenGrant, TokenTerms } from '../../../../../domain/access/api-token.ts';
import { APPROVER_ROLES } from '../../../../../domain/access/approval-rule.ts';
import { SCOPES } from '../../../../../domain/access/scope.ts';
import { mergeCalls, NO_CALLS, type TokenCalls } from '../../../../../domain/access/token-calls.ts';
import type { Schedule } from '../../../../../domain/automation/schedule.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { TokenOrder } from '../../../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import { SqlStore } from '../database.ts';
import { orderedBy, pageOf } from '../page.ts';
import {
  columns,
  flag,
  int,
  json,
  listOrNull,
  named,
  nullable,
  orElse,
  orNull,
  type Row,
  Strings,
  shortText,
  text,
} from '../tables/columns.ts';
import { recordChange } from './record-change.ts';
import { changeOwned } from './schedule-owners.ts';

const Calls = z.object({
  total: z.int(),
  hours: z.array(z.tuple([z.int(), z.int()]).readonly()).readonly(),
});
/** A rule that this version does not know fails here: no request is approved by a weaker one. */
const Rule = z.object({
  fourEyes: z.boolean(),
  role: z.enum(APPROVER_ROLES),
  approvers: z.int(),
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
  approvalInClient: flag,
  approvalRule: orNull(json(Rule)),
  expiresAt: orNull(int),
});
const TOKENS = columns({
  id: int,
  prefix: text,
  createdBy: text,
  rotatedBy: listOrNull(Strings),
  createdAt: int,
  lastUsedAt: orNull(int),
  revokedAt: orNull(int),
  calls: orElse(json(Calls), NO_CALLS),
  ...TERMS.shape,
});

type TokenRow = Row<typeof TOKENS>;
const toToken: (row: TokenRow) => ApiToken = TOKENS.read;
const termsColumns = (terms: TokenTerms & TokenGrant): object =>
  TERMS.write({ ...terms, serversGrantedBy: terms.serversGrantedBy ?? null });

/** A change of one token: its condition, and the new values. */
interface Change {
  readonly only?: (tokens: Knex.QueryBuilder) => Knex.QueryBuilder;
  readonly columns: object | ((token: ApiToken) => object);
  /** Whether a token that is there but not among `only` stays as it is, instead of being refused. */
  readonly keepOthers?: boolean;
}

const ORDERS = { created: ['id'], name: ['name', 'id'], expires: ['expires_at', 'id'] } as const;

export class SqlTokenStore extends SqlStore implements TokenStore {
  async add(...[token, secretHash, record]: Parameters<TokenStore['add']>): Promise<ApiToken> {
    return this.database.transaction(async (trx) => {
      const [id] = await trx('api_tokens').insert({
        ...TOKENS.write(token),
        secret_hash: secretHash,
      });
      const added = await existing(trx, Number(id));
      await recordChange(trx, record(added));
      return added;
    });
  }

  async findBySecretHash(secretHash: string): Promise<{ token: ApiToken; secretHash: string } | null> {
    const row = await this.database
      .knex('api_tokens')
      .where({ secret_hash: secretHash })
      .first<(TokenRow & { secret_hash: string }) | undefined>([...TOKENS.names, 'secret_hash']);
    return row ? { token: toToken(row), secretHash: row.secret_hash } : null;
  }

  async find(id: number): Promise<ApiToken | null> {
    return find(this.database.knex, id);
  }

  async list(
    page: PageRequest,
    order: TokenOrder = { by: 'created', descending: true },
  ): Promise<Page<ApiToken>> {
    return pageOf(this.database.knex('api_tokens'), page, async (window) => {
      const rows: TokenRow[] = await window.select(TOKENS.names).orderBy(orderedBy(order, ORDERS));
      return rows.map(toToken);
    });
  }

  async change(...[id, terms, record, owned]: Parameters<TokenStore['change']>): Promise<ApiToken> {
    return this.#apply(id, { columns: termsColumns(terms) }, record, owned);
  }

  async rotate(...[id, { hash, prefix, by }, record]: Parameters<TokenStore['rotate']>): Promise<ApiToken> {
    const renewed = ({ rotatedBy }: ApiToken): object => ({
      ...TOKENS.write({ prefix, rotatedBy: [...new Set([...rotatedBy, by])].slice(-MAX_ROTATED_BY) }),
      secret_hash: hash,
    });
    return this.#apply(id, { columns: renewed, only: unrevoked }, record);
  }

  async revoke(...[id, at, record, owned]: Parameters<TokenStore['revoke']>): Promise<ApiToken> {
    return this.#apply(id, { columns: { revoked_at: at }, only: unrevoked, keepOthers: true }, record, owned);
  }

  async touch(id: number, at: Instant, calls: TokenCalls): Promise<void> {
    await this.database.transaction(async (trx) => {
      const row = await trx('api_tokens').where({ id }).forUpdate().first<TokenRow | undefined>();
      if (row === undefined) return;
      const token = toToken(row);
      await trx('api_tokens')
        .where({ id })
        .update({
          last_used_at: Math.max(token.lastUsedAt ?? 0, at),
          calls: JSON.stringify(mergeCalls(token.calls, calls, at)),
        });
    });
  }

  async #apply(
    id: number,
    change: Change,
    record: (token: ApiToken, switchedOff: readonly Schedule[]) => ChangeRecord,
    owned?: OwnedByToken,
  ): Promise<ApiToken> {
    return this.database.transaction(async (trx) => {
      const tokens = trx('api_tokens').where({ id });
      const values =
        typeof change.columns === 'function' ? change.columns(await locked(trx, id)) : change.columns;
      const changed = await (change.only?.(tokens) ?? tokens).update(values);
      if (changed === 0 && !change.keepOthers) throw tokenNotFound(id);
      const token = await existing(trx, id);
      if (changed === 0) return token;
      const schedules = owned
        ? await changeOwned(trx, { kind: 'token', id }, owned.at, owned.change(token))
        : [];
      await recordChange(trx, record(token, schedules));
      return token;
    });
  }
}

/** There are not as many administrators. */
const MAX_ROTATED_BY = 100;

const unrevoked = (tokens: Knex.QueryBuilder): Knex.QueryBuilder => tokens.whereNull('revoked_at');

async function find(knex: Knex, id: number): Promise<ApiToken | null> {
  const row = await knex('api_tokens').where({ id }).first<TokenRow | undefined>(TOKENS.names);
  return row ? toToken(row) : null;
}

async function locked(trx: Knex, id: number): Promise<ApiToken> {
  const row = await trx('api_tokens').where({ id }).forUpdate().first<TokenRow | undefined>(TOKENS.names);
  if (!row) throw tokenNotFound(id);
  return toToken(row);
}

async function existing(knex: Knex, id: number): Promise<ApiToken> {
  const token = await find(knex, id);
  if (!token) throw tokenNotFound(id);
  return token;
}

const tokenNotFound = (id: number): DomainError =>
  new DomainError('token_not_found', `There is no token with id ${id}, or it was revoked.`);
