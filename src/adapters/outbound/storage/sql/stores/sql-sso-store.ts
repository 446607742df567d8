import type { Knex } from 'knex';
import { z } from 'zod';
import type { SsoStore } from '../../../../../application/ports/access/sso-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import { ROLES } from '../../../../../domain/access/role.ts';
import { SSO_PURPOSES, type SsoFlow } from '../../../../../domain/access/sso-identity.ts';
import {
  providerNotFound,
  type SsoProvider,
  type TwoFactorSign,
} from '../../../../../domain/access/sso-provider.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Database } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { columns, flag, int, json, oneOf, type Row, shortText, text } from '../tables/columns.ts';
import { recordChange } from './record-change.ts';

const TABLE = 'sso_providers';
const PROVIDERS = columns({
  id: int,
  name: text,
  label: text,
  issuer: text,
  clientId: text,
  sealedSecret: text,
  scopes: text,
  groupsClaim: text,
  roles: json(z.array(z.object({ group: z.string(), role: z.enum(ROLES), tag: z.string().optional() }))),
  twoFactor: oneOf<TwoFactorSign>(),
  allowPrivate: flag,
  enabled: flag,
  createdBy: shortText,
  createdAt: int,
  updatedAt: int,
});
type ProviderRow = Row<typeof PROVIDERS>;

interface FlowRow {
  readonly id: number;
  readonly provider: string;
  readonly purpose: string;
  readonly next: string;
  readonly started_at: number;
}

export class SqlSsoStore implements SsoStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(...[provider, seal, record]: Parameters<SsoStore['add']>): Promise<SsoProvider> {
    // The encrypted text is bound to the row's id, which is not known yet.
    const unsealed = { ...provider, sealedSecret: '', updatedAt: provider.createdAt };
    return this.#database.transaction(async (trx) => {
      const [id] = await trx(TABLE)
        .insert(PROVIDERS.write(unsealed))
        .catch((error: unknown) => {
          if (!isUniqueViolation(error, TABLE, ['name'])) throw error;
          throw new DomainError('name_taken', `There is a provider named "${provider.name}" already.`);
        });
      await trx(TABLE)
        .where({ id: Number(id) })
        .update({ sealed_secret: seal(Number(id)) });
      return left(trx, Number(id), record);
    });
  }

  async list(): Promise<readonly SsoProvider[]> {
    const rows: ProviderRow[] = await this.#database.knex(TABLE).select(PROVIDERS.names).orderBy('name');
    return rows.map(PROVIDERS.read);
  }

  async change(...[id, change, at, record]: Parameters<SsoStore['change']>): Promise<SsoProvider> {
    return this.#database.transaction(async (trx) => {
      await trx(TABLE)
        .where({ id })
        .update(PROVIDERS.write({ ...change, updatedAt: at }));
      const changed = await left(trx, id, record);
      if (change.enabled === false) await endSessions(trx, changed.name);
      return changed;
    });
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.#database.transaction(async (trx) => {
      const { name } = await existing(trx, id);
      await trx(TABLE).where({ id }).delete();
      await endSessions(trx, name);
      await recordChange(trx, record);
    });
  }

  async addFlow(secretHash: string, flow: SsoFlow, most: number): Promise<boolean> {
    const counted = await this.#database.knex('sso_flows').count<{ n: number }[]>({ n: '*' });
    if ((counted[0]?.n ?? 0) >= most) return false;
    const { startedAt, ...rest } = flow;
    await this.#database.write((knex) =>
      knex('sso_flows').insert({ ...rest, secret_hash: secretHash, started_at: startedAt }),
    );
    return true;
  }

  async takeFlow(secretHash: string, startedSince: Instant): Promise<SsoFlow | null> {
    const row = await this.#database
      .knex('sso_flows')
      .where({ secret_hash: secretHash })
      .where('started_at', '>=', startedSince)
      .first<FlowRow | undefined>('id', 'provider', 'purpose', 'next', 'started_at');
    if (!row) return null;
    const taken = await this.#database.write((knex) => knex('sso_flows').where({ id: row.id }).delete());
    if (taken === 0) return null;
    const { provider, purpose, next } = row;
    const startedAt = row.started_at;
    return { provider, purpose: SSO_PURPOSES.find((each) => each === purpose) ?? 'sign_in', next, startedAt };
  }

  async forgetFlowsBefore(at: Instant, most: number): Promise<number> {
    const ids: number[] = await this.#database
      .knex('sso_flows')
      .where('started_at', '<', at)
      .limit(most)
      .pluck('id');
    if (ids.length === 0) return 0;
    return this.#database.write((knex) => knex('sso_flows').whereIn('id', ids).delete());
  }
}

const endSessions = (trx: Knex, provider: string): Promise<number> =>
  trx('sessions').where({ provider }).delete();

async function existing(trx: Knex, id: number): Promise<SsoProvider> {
  const row = await trx(TABLE).where({ id }).first<ProviderRow | undefined>(PROVIDERS.names);
  if (!row) throw providerNotFound(`with id ${id}`);
  return PROVIDERS.read(row);
}

async function left(
  trx: Knex,
  id: number,
  record: (provider: SsoProvider) => ChangeRecord,
): Promise<SsoProvider> {
  const provider = await existing(trx, id);
  await recordChange(trx, record(provider));
  return provider;
}
