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
import type { Instant } from '../../../../../domain/base/instant.ts';
import { SqlStore } from '../database.ts';
import { columns, flag, int, json, oneOf, type Row, shortText, text } from '../tables/columns.ts';
import { NamedRows } from './named-rows.ts';

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
const ROWS = new NamedRows<Row<typeof PROVIDERS>, SsoProvider>({
  table: TABLE,
  columns: PROVIDERS.names,
  read: PROVIDERS.read,
  notFound: providerNotFound,
  taken: (name) => `There is a provider named "${name}" already.`,
});

interface FlowRow {
  readonly id: number;
  readonly provider: string;
  readonly purpose: string;
  readonly next: string;
  readonly started_at: number;
}

export class SqlSsoStore extends SqlStore implements SsoStore {
  async add(...[provider, seal, record]: Parameters<SsoStore['add']>): Promise<SsoProvider> {
    // The encrypted text is bound to the row's id, which is not known yet.
    const unsealed = { ...provider, sealedSecret: '', updatedAt: provider.createdAt };
    return this.database.transaction(async (trx) => {
      const id = await ROWS.insert(trx, provider.name, PROVIDERS.write(unsealed));
      await trx(TABLE)
        .where({ id })
        .update({ sealed_secret: seal(id) });
      return ROWS.left(trx, id, record);
    });
  }

  async list(): Promise<readonly SsoProvider[]> {
    return ROWS.list(this.database.knex);
  }

  async change(...[id, change, at, record]: Parameters<SsoStore['change']>): Promise<SsoProvider> {
    return this.database.transaction(async (trx) => {
      await trx(TABLE)
        .where({ id })
        .update(PROVIDERS.write({ ...change, updatedAt: at }));
      const changed = await ROWS.left(trx, id, record);
      if (change.enabled === false) await endSessions(trx, changed.name);
      return changed;
    });
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      const provider = await ROWS.find(trx, { id });
      await ROWS.remove(trx, id, record);
      await endSessions(trx, provider?.name ?? '');
    });
  }

  async addFlow(secretHash: string, flow: SsoFlow, most: number): Promise<boolean> {
    const counted = await this.database.knex('sso_flows').count<{ n: number }[]>({ n: '*' });
    if ((counted[0]?.n ?? 0) >= most) return false;
    const { startedAt, ...rest } = flow;
    await this.database.write((knex) =>
      knex('sso_flows').insert({ ...rest, secret_hash: secretHash, started_at: startedAt }),
    );
    return true;
  }

  async takeFlow(secretHash: string, startedSince: Instant): Promise<SsoFlow | null> {
    const row = await this.database
      .knex('sso_flows')
      .where({ secret_hash: secretHash })
      .where('started_at', '>=', startedSince)
      .first<FlowRow | undefined>('id', 'provider', 'purpose', 'next', 'started_at');
    if (!row) return null;
    const taken = await this.database.write((knex) => knex('sso_flows').where({ id: row.id }).delete());
    if (taken === 0) return null;
    const { provider, purpose, next } = row;
    const startedAt = row.started_at;
    return { provider, purpose: SSO_PURPOSES.find((each) => each === purpose) ?? 'sign_in', next, startedAt };
  }

  async forgetFlowsBefore(at: Instant, most: number): Promise<number> {
    const ids: number[] = await this.database
      .knex('sso_flows')
      .where('started_at', '<', at)
      .limit(most)
      .pluck('id');
    if (ids.length === 0) return 0;
    return this.database.write((knex) => knex('sso_flows').whereIn('id', ids).delete());
  }
}

const endSessions = (trx: Knex, provider: string): Promise<number> =>
  trx('sessions').where({ provider }).delete();
